from maxagent.graphs.edit import build_graph, graph


def test_drawn_edit_graph_has_no_dangling_node():
    drawn = graph.get_graph()
    inner = {name for name in drawn.nodes if not name.startswith("__")}
    assert inner == {"editor", "compact", "approve", "tools", "subagent", "reports"}
    assert inner <= {edge.target for edge in drawn.edges}
    assert inner <= {edge.source for edge in drawn.edges}


def test_only_the_editor_ends_the_job():
    ends = {
        edge.source
        for edge in build_graph().compile().get_graph().edges
        if edge.target == "__end__"
    }
    assert ends == {"editor", "compact"}  # `/compact` after the end


def test_the_exported_graph_carries_neither_saver_nor_store():
    assert (graph.checkpointer, graph.store) == (None, None)
