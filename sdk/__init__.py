"""The public interface: start, stream, resume and answer threads; the events of a run."""
