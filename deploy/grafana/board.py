"""What a Grafana dashboard is made of, as the plain dictionaries that Grafana reads.

A board is rows, a row is panels side by side, a panel is queries with a unit and a sentence that says what it tells.
Places and numbers are given out here: whoever writes a board writes what it shows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

COLUMNS = 24
SCHEMA_VERSION = 39
DATASOURCE: Json = {"type": "prometheus", "uid": "${datasource}"}

SECONDS = "s"
PER_SECOND = "cps"
SHARE = "percentunit"
COUNT = "short"
SILVER = "locale"
BYTES = "bytes"
AGE = "dtdurations"


@dataclass(frozen=True, slots=True)
class Query:
    """One expression of a panel; ``legend`` may name labels, as in ``{{method}}``."""

    expression: str
    legend: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel: what it is called, what it tells, what it asks.

    ``limits`` are values from which on a stat turns orange and red; with ``is_low_bad`` red is below the first.
    """

    kind: str
    title: str
    description: str
    unit: str
    queries: tuple[Query, ...]
    is_stacked: bool = False
    limits: tuple[float, float] | None = None
    is_low_bad: bool = False
    decimals: int | None = None

    def write(self, number: int, place: Json) -> Json:
        """The panel as Grafana reads it."""
        return {
            "id": number,
            "type": self.kind,
            "title": self.title,
            "description": self.description,
            "datasource": DATASOURCE,
            "gridPos": place,
            "fieldConfig": {"defaults": self._defaults(), "overrides": []},
            "options": OPTIONS[self.kind],
            "targets": [
                {
                    "refId": chr(ord("A") + index),
                    "datasource": DATASOURCE,
                    "expr": query.expression,
                    "legendFormat": query.legend or self.title,
                    "instant": self.kind != "timeseries",
                    "range": self.kind == "timeseries",
                }
                for index, query in enumerate(self.queries)
            ],
        }

    def _defaults(self) -> Json:
        defaults: Json = {"unit": self.unit, "color": {"mode": "palette-classic"}}
        if self.decimals is not None:
            defaults["decimals"] = self.decimals
        if self.kind == "timeseries":
            defaults["min"] = None if self.unit == SILVER else 0
            defaults["custom"] = {
                "drawStyle": "line",
                "lineWidth": 1,
                "fillOpacity": 30 if self.is_stacked else 5,
                "showPoints": "never",
                "stacking": {"mode": "normal" if self.is_stacked else "none", "group": "A"},
            }
        if self.limits:
            defaults["color"] = {"mode": "thresholds"}
            colours = ("red", "orange", "green") if self.is_low_bad else ("green", "orange", "red")
            steps = zip(colours, (None, *self.limits), strict=True)
            defaults["thresholds"] = {
                "mode": "absolute",
                "steps": [{"color": colour, "value": value} for colour, value in steps],
            }
        return defaults


OPTIONS: dict[str, Json] = {
    "timeseries": {
        "legend": {"displayMode": "table", "placement": "bottom", "calcs": ["lastNotNull", "max"]},
        "tooltip": {"mode": "multi", "sort": "desc"},
    },
    "stat": {
        "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
        "colorMode": "value",
        "graphMode": "none",
        "textMode": "auto",
    },
    "bargauge": {
        "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
        "displayMode": "basic",
        "orientation": "horizontal",
    },
}


def curves(title: str, description: str, unit: str, *queries: Query, is_stacked: bool = False) -> Panel:
    """Curves over time."""
    return Panel("timeseries", title, description, unit, queries, is_stacked=is_stacked)


def number(
    title: str,
    description: str,
    unit: str,
    expression: str,
    *,
    limits: tuple[float, float] | None = None,
    is_low_bad: bool = False,
    decimals: int | None = None,
) -> Panel:
    """One number, as it is now."""
    queries = (Query(expression),)
    return Panel("stat", title, description, unit, queries, limits=limits, is_low_bad=is_low_bad, decimals=decimals)


def bars(title: str, description: str, unit: str, expression: str, legend: str) -> Panel:
    """A bar for each value of a label, as it is now."""
    return Panel("bargauge", title, description, unit, (Query(expression, legend),))


@dataclass(frozen=True, slots=True)
class Row:
    """Panels side by side under a heading, all of one height."""

    title: str
    height: int
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """One dashboard; ``label`` is the one that whoever looks may choose values of."""

    uid: str
    title: str
    description: str
    rows: tuple[Row, ...]
    label: str = ""
    label_metric: str = ""

    def write(self) -> Json:
        """The dashboard as Grafana reads it."""
        return {
            "uid": self.uid,
            "title": self.title,
            "description": self.description,
            "tags": ["zhangfang"],
            "schemaVersion": SCHEMA_VERSION,
            "version": 1,
            "editable": False,
            "refresh": "30s",
            "time": {"from": "now-6h", "to": "now"},
            "timezone": "browser",
            "templating": {"list": list(self._variables())},
            "links": [
                {
                    "type": "dashboards",
                    "title": "Zhangfang",
                    "tags": ["zhangfang"],
                    "asDropdown": True,
                    "keepTime": True,
                }
            ],
            "annotations": {"list": [_alerts_as_annotations()]},
            "panels": list(self._panels()),
        }

    def _variables(self) -> Iterator[Json]:
        yield {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"}
        if self.label:
            query = f"label_values({self.label_metric}, {self.label})"
            yield {
                "name": self.label,
                "label": self.label,
                "type": "query",
                "datasource": DATASOURCE,
                "query": {"query": query, "refId": "values"},
                "definition": query,
                "refresh": 2,
                "sort": 1,
                "includeAll": True,
                "allValue": ".*",
                "multi": True,
                "current": {"selected": True, "text": ["All"], "value": ["$__all"]},
            }

    def _panels(self) -> Iterator[Json]:
        numbers = iter(range(1, 1000))
        top = 0
        for row in self.rows:
            place = {"x": 0, "y": top, "w": COLUMNS, "h": 1}
            yield {"id": next(numbers), "type": "row", "title": row.title, "collapsed": False, "gridPos": place}
            for panel, (left, width) in zip(row.panels, _share_out(row.panels), strict=True):
                yield panel.write(next(numbers), {"x": left, "y": top + 1, "w": width, "h": row.height})
            top += 1 + row.height


def _share_out(panels: Sequence[Panel]) -> Iterator[tuple[int, int]]:
    """Left edge and width of each panel of a row, which they share evenly."""
    for index in range(len(panels)):
        left = COLUMNS * index // len(panels)
        yield left, COLUMNS * (index + 1) // len(panels) - left


def _alerts_as_annotations() -> Json:
    return {
        "name": "Alerts",
        "datasource": DATASOURCE,
        "enable": True,
        "iconColor": "red",
        "expr": 'ALERTS{alertname=~"Zhangfang.*", alertstate="firing"}',
        "titleFormat": "{{alertname}}",
        "textFormat": "{{severity}} {{instance}} {{game}}",
    }
