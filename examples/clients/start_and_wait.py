#!/usr/bin/env python3
"""Starts a plan, waits for its result and prints its failures. Needs only Python 3.9.

Usage: RUNWARD_URL=https://runward.example.org RUNWARD_TOKEN=… start_and_wait.py PLAN_ID [NAME=VALUE ...]
Exit code: 0 = the run succeeded, 4 = it waits for a person, 1 = anything else.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

URL = os.environ["RUNWARD_URL"].rstrip("/")
TOKEN = os.environ["RUNWARD_TOKEN"]
RETRY_FOR_SECONDS = 300
BUSY = {429, 502, 503, 504}


def call(method, path, body=None, key=None):
    """Returns the JSON of the answer. Repeats a request without a usable answer for five minutes."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    if key:
        headers["Idempotency-Key"] = key
    data = None if body is None else json.dumps(body).encode()
    deadline = time.monotonic() + RETRY_FOR_SECONDS
    pause = 1
    while True:
        request = urllib.request.Request(URL + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code not in BUSY or time.monotonic() > deadline:
                sys.exit(error.read().decode())
        except OSError as error:
            if time.monotonic() > deadline:
                sys.exit(f"No answer from {URL}: {error}")
        time.sleep(pause)
        pause = min(pause * 2, 20)


def main(plan_id, *variables):
    body = {
        "planId": plan_id,
        "execution_mode": "auto",
        "variables": dict(variable.split("=", 1) for variable in variables),
    }
    # With the same key, a repeated start returns the run that exists.
    run = call("POST", "/api/executions", body, key=os.environ.get("CI_JOB_ID") or str(uuid.uuid4()))
    print(run["webUrl"], flush=True)
    while not run["finished"] and run["status"] != "PAUSED":
        run = call("GET", f"/api/executions/{run['id']}?wait=50&until=settled")

    reason = run["statusReason"]
    print(run["status"] + (f": {reason['text']}" if reason else ""))
    for cause in call("GET", f"/api/executions/{run['id']}/failure-causes")["items"]:
        print(f"{len(cause['serverIds'])} × {cause['stepKey']}: {cause['text'] or cause['status']}")
    if run["successful"]:
        return 0
    return 4 if run["status"] == "PAUSED" else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
