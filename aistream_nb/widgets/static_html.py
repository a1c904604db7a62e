def to_html(conversation): return "<p>static</p>"
def to_text(conversation): return "text"
