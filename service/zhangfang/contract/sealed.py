"""The messages that carry a judgement, with the judgement as the bytes it was judged in.

On the wire a nested message and bytes are the same. The judgement is most of an event: whoever needs an event for its
postings need not take it apart, and what was judged is handed on byte by byte.
"""

from typing import Any

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import Default
from google.protobuf.message_factory import GetMessageClass

from zhangfang.wire.v1 import events_pb2

JUDGEMENT = "judgement"
PACKAGE = "zhangfang.sealed"


def _describe(*sources: Any) -> FileDescriptorProto:
    """A file of copies, beside the public one, so that what they hold besides is of the same types."""
    public = events_pb2.DESCRIPTOR
    file = FileDescriptorProto(name=f"{PACKAGE}.proto", package=PACKAGE, syntax="proto3")
    file.dependency.extend([public.name, *[each.name for each in public.dependencies]])
    for source in sources:
        message = file.message_type.add()
        source.DESCRIPTOR.CopyToProto(message)
        field = next(each for each in message.field if each.name == JUDGEMENT)
        field.type = FieldDescriptorProto.TYPE_BYTES
        field.ClearField("type_name")
    return file


_POOL = Default()
_POOL.AddSerializedFile(_describe(events_pb2.HandSettled, events_pb2.HandVoided).SerializeToString())

HandSettled: Any = GetMessageClass(_POOL.FindMessageTypeByName(f"{PACKAGE}.HandSettled"))
HandVoided: Any = GetMessageClass(_POOL.FindMessageTypeByName(f"{PACKAGE}.HandVoided"))
