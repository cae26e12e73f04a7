from maxagent.graphs.task import build_graph, graph

ROLES = {"architect", "coder", "tester"}
STEPS = {"compact", "approve", "tools", "subagent", "reports", "verify", "review"}
ATTEMPTS = {"attempts", "adopt"}


def test_drawn_task_graph_has_no_dangling_node():
    drawn = graph.get_graph()
    inner = {name for name in drawn.nodes if not name.startswith("__")}
    reached = {edge.target for edge in drawn.edges}
    sources = {edge.source for edge in drawn.edges}
    assert inner == ROLES | STEPS | ATTEMPTS
    assert inner <= reached and inner <= sources


def test_task_schemas_for_studio_can_be_generated():
    schemas = graph.get_input_jsonschema(), graph.get_output_jsonschema()
    assert set(schemas[0]["properties"]) == {"request", "folder", "options"}
    assert "messages" in schemas[1]["properties"]
    assert set(graph.get_context_jsonschema()["properties"]) == {
        "home",
        "mode",
        "model",
        "base_url",
    }


def test_the_exported_graph_carries_neither_saver_nor_store():
    assert (graph.checkpointer, graph.store) == (None, None)


def test_done_is_reached_only_through_the_review():
    ends = {
        edge.source
        for edge in build_graph().compile().get_graph().edges
        if edge.target == "__end__"
    }
    # `/compact` after the end; no attempt is kept
    assert ends == {"review", "compact", "adopt"}
