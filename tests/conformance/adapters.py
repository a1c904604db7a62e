"""The joint between the project and the case files: fixed names, fixed shapes.

Other suites are run through these names. Each is made in the ``join_*`` module of
its folder of cases; this page only gathers them.
"""

from join_agui import (  # noqa: F401  # other suites ask for it here
    apply_events,
    apply_patch,
    check_order,
    read_sse,
)
from join_partial_json import parse_partial  # noqa: F401  # other suites ask for it here
from join_processor import (  # noqa: F401  # other suites ask for it here
    is_generated_id,
    make_processor,
)
from join_providers import run_provider_case  # noqa: F401  # other suites ask for it here
from join_tracker import run_tracker_case  # noqa: F401  # other suites ask for it here
