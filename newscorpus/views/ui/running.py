"""Show what was started from the browser, and what it prints."""

from starlette.requests import Request
from starlette.responses import Response

from newscorpus.views.ui.desk import desk_of
from newscorpus.views.ui.jobs import Job


def view(request: Request) -> Response:
    """Show a job; its page asks again every second while it runs, and where it asks for it, loads anew at the end."""
    return answer(request, desk_of(request).job(request), reloads="reload" in request.query_params)


def answer(request: Request, job: Job, *, reloads: bool = False) -> Response:
    """Show a job; `reloads` says that the page is to be loaded anew when the job has succeeded."""
    response = desk_of(request).render(request, "job.html", f"newscorpus {job.arguments[0]}", job=job, reloads=reloads)
    if reloads and job.code == 0:
        response.headers["hx-refresh"] = "true"
    return response
