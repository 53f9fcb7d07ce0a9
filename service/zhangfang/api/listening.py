"""Where to listen: an address and a port as the libraries want them, and why nobody can listen there."""

import errno
import socket


def joined(host: str, port: int) -> str:
    """An address with a port; one of IPv6 in brackets.

    >>> joined("127.0.0.1", 50051), joined("::1", 50051)
    ('127.0.0.1:50051', '[::1]:50051')
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def family_of(host: str) -> socket.AddressFamily:
    """Which internet an address belongs to; names are looked up in the older one."""
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def why_not(host: str, port: int) -> OSError | None:
    """What is wrong with listening there, for libraries that do not tell; None if nothing is, by now."""
    try:
        with socket.socket(family_of(host)) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind((host, port))
    except OSError as error:
        return error
    except UnicodeError:  # a name that no name server could be asked for
        return socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    return None


def cannot_listen(host: str, port: int, error: OSError | None, option: str = "port") -> str:
    """The sentence for an operator whose service cannot listen: which of its settings is wrong, and what to do.

    ``option`` is the setting that the port comes from, as it is called on the command line.
    """
    if isinstance(error, socket.gaierror):
        return f"{host} is no address ({error.strerror}); choose another with --host or ZHANGFANG_HOST"
    if error and error.errno == errno.EADDRNOTAVAIL:
        return f"this machine has no address {host}; choose another with --host or ZHANGFANG_HOST, 0.0.0.0 takes all"
    another = f"choose another with --{option} or ZHANGFANG_{option.upper().replace('-', '_')}"
    if error is None or error.errno == errno.EADDRINUSE:
        return f"{option.replace('-', ' ')} {port} on {host} is taken, perhaps by another zhangfang; {another}"
    return f"{option.replace('-', ' ')} {port} on {host} cannot be used ({error.strerror}); {another}"
