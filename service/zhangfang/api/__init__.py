"""The gRPC surface: requests read and checked, commands handed to the writer, answers rendered, refusals as statuses."""
