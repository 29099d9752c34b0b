"""How the bundled models are made: from git repositories to `model.onnx` and `table.u4`. See README.md."""
