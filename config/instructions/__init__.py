"""Discovery of instruction files, in a folder and below it.

Instruction files (`config/instructions/discovery.py`) are in every agent's system prompt
(`nodes/messages/instruction_blocks.py`). The files that they import by `@path`
(`config/trust/resolved_imports.py`) and those of folders below are found when trust is asked
(`referenced_instructions.py`) and identified by content from then on, so the start of a run walks
no tree. `nodes/turn/request_notes.py` gives the model those of folders below
(`config/instructions/nested_files.py`) once a conversation. Ignored files are listed with the
reason. If the user saw the whole edit of an instruction file, the digests before and after it go
from the question (`tools/runtime/edit_preview.py`, `nodes/approval/edit_previews.py`) to
`nodes/run_tool.py`, which updates the trust (`decision.follow_changes`).
"""
