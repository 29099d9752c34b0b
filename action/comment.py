#!/usr/bin/env python3
"""Writes a report as a comment on a pull request; later runs update that comment:

    GITHUB_TOKEN=... GITHUB_REPOSITORY=owner/name action/comment.py NUMBER REPORT.md

GITHUB_API_URL names a server other than GitHub's. A comment is updated only if it begins with the marker and was written by
COMMENT_AUTHOR (default: `github-actions[bot]`, the author of comments made with a workflow's token), because anybody can write
the marker into a comment. Needs Python 3.9 and nothing else.
"""

import json
import os
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from report import MARKER  # noqa: E402

MAX_PAGES = 30


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, because a redirect would send the token to another address."""

    def redirect_request(self, *_arguments):
        return None


def call(method, path, body=None):
    api = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
        "Content-Type": "application/json",
        "User-Agent": "vectorcode",
    }
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{api}{path}", data=data, headers=headers, method=method)
    with urllib.request.build_opener(NoRedirect).open(request, timeout=30) as response:
        return json.load(response)


def own_comment(comments_path):
    author = os.environ.get("COMMENT_AUTHOR") or "github-actions[bot]"
    for page in range(1, MAX_PAGES + 1):
        comments = call("GET", f"{comments_path}?per_page=100&page={page}")
        for comment in comments:
            if (comment["body"] or "").startswith(MARKER) and (comment["user"] or {}).get("login") == author:
                return comment["id"]
        if len(comments) < 100:
            return None
    return None


def main(number, report):
    repository = os.environ["GITHUB_REPOSITORY"]
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository) or not re.fullmatch(r"[0-9]+", number):
        sys.exit(f"error: not a pull request: {repository!r} {number!r}")
    body = {"body": Path(report).read_text(encoding="utf-8")}
    comments = f"/repos/{repository}/issues/{number}/comments"
    identifier = own_comment(comments)
    if identifier is None:
        call("POST", comments, body)
    else:
        call("PATCH", f"/repos/{repository}/issues/comments/{identifier}", body)
    print("updated the comment" if identifier else "wrote a comment")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: action/comment.py NUMBER REPORT.md")
    try:
        main(sys.argv[1], sys.argv[2])
    except urllib.error.HTTPError as error:
        hint = "; the token of a pull request from a fork is read-only" if error.code == 403 else ""
        sys.exit(f"error: GitHub answered {error.code}{hint}")
    except urllib.error.URLError as error:
        sys.exit(f"error: GitHub cannot be reached: {error.reason}")
