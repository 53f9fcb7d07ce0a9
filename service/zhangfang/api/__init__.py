"""The gRPC surface: requests are read and checked, commands go to the writer, answers and refusals are rendered."""
