from maxagent.graphs.task import build, graph

ROLES = {"architect", "coder", "tester"}
STEPS = {"approve", "tools", "verify", "review"}


def test_the_drawn_graph_names_the_roles_and_leaves_no_node_dangling():
    drawn = graph.get_graph()
    inner = {name for name in drawn.nodes if not name.startswith("__")}
    reached = {edge.target for edge in drawn.edges}
    left = {edge.source for edge in drawn.edges}
    assert inner == ROLES | STEPS
    assert inner <= reached and inner <= left


def test_the_schemas_that_studio_asks_for_can_be_made():
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
    ends = {edge.source for edge in build().compile().get_graph().edges if edge.target == "__end__"}
    assert ends == {"review"}
