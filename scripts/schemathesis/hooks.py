"""Adapts Schemathesis to this service: the key to send, the hosts to avoid, and the rules that no schema can express."""

import datetime
import os
import random
import re
import string
import threading
import time
import unicodedata
import uuid

import requests
import schemathesis
from hypothesis import strategies as st
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation import GenerationMode
from schemathesis.generation.meta import TestPhase

API = os.environ["API_ORIGIN"] + "/v1"
# The account kind of the caller, if an operation accepts several kinds.
KIND = os.environ.get("KIND", "employer")


# An overloaded service responds with 503 and Retry-After (decision 0040), and clients retry. A persistent 503 is a
# fault.

send = requests.Session.send


def send_until_taken(session, request, **options):
    for _ in range(30):
        response = send(session, request, **options)
        if response.status_code != 503:
            break
        response.close()
        time.sleep(int(response.headers.get("Retry-After", 1)))
    return response


requests.Session.send = send_until_taken


@schemathesis.serializer("application/x-ndjson")
def as_lines(_context, value):
    return value if isinstance(value, bytes) else str(value).encode()


# Keys.


class Keys:
    """Stores a key of every account kind. Registers candidates and employers on first use."""

    def __init__(self):
        self.known = {"admin": os.environ["ADMIN_API_KEY"], "integrator": os.environ["INTEGRATOR_API_KEY"]}
        self.lock = threading.Lock()

    def register(self, kind):
        email = f"{uuid.uuid4()}@schemathesis.example"
        names = {"name": "Schemathesis"} if kind == "employer" else {"first_name": "Schema", "last_name": "Thesis"}
        answer = requests.post(f"{API}/{kind}s", json={**names, "email": email}, timeout=10)
        answer.raise_for_status()
        return answer.json()["data"]["api_key"]

    def of(self, kind):
        with self.lock:
            if kind not in self.known:
                self.known[kind] = self.register(kind)
            return self.known[kind]


keys = Keys()
# Operations that may delete the caller's key or account.
ENDING = {"deleteApiKey", "deleteCandidateProfile", "deleteEmployerProfile"}


def caller_of(operation):
    """Returns the kind of account that calls an operation. Operations that need no key also get one."""
    callers = list(operation.get("x-callers", [KIND]))
    return KIND if KIND in callers else callers[0]


@schemathesis.auth(refresh_interval=None)
class KeyOfCaller:
    def get(self, case, context):
        operation = context.operation.definition.raw
        kind = caller_of(operation)
        if operation["operationId"] not in ENDING:
            return keys.of(kind)
        return keys.register(kind if kind in ("candidate", "employer") else "candidate")

    def set(self, case, key, context):
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {key}"}


@schemathesis.hook
def before_load_schema(context, document):
    """Marks the operations to try: those that accept KIND, or all operations if KIND is employer.

    In a run for employers, accounts of other kinds call the operations that do not accept employers.
    """
    for path in document["paths"].values():
        for operation in path.values():
            operation["x-tried"] = KIND == "employer" or KIND in operation.get("x-callers", [])
            # A stream lasts until the client disconnects.
            if operation["operationId"] == "streamEvents":
                operation["x-tried"] = False
            for media in operation.get("requestBody", {}).get("content", {}).values():
                ease(media["schema"])


def ease(schema):
    """Removes constraints from a schema, to generate values faster and make more of them useful."""
    if isinstance(schema, list):
        for part in schema:
            ease(part)
    if not isinstance(schema, dict):
        return
    members = schema.get("properties", {})
    # Clients may send read-only members back unchanged, which no schema can express.
    for name in [name for name, member in members.items() if member.get("readOnly")]:
        del members[name]
    pattern = str(schema.get("pattern"))
    if pattern == r"\S":
        # With a maximum length in the thousands, generating a value takes a second. is_explained handles blank texts.
        del schema["pattern"]
    if pattern.startswith("^[Hh][Tt][Tt][Pp]"):
        # No pattern can express which hosts are valid.
        del schema["pattern"]
        schema["format"] = "uri"
    for part in schema.values():
        ease(part)


# Resources for path parameters, because resources with random IDs do not exist.


def ask(method, path, kind, body=None):
    headers = {"Authorization": f"Bearer {keys.of(kind)}"}
    answer = requests.request(method, API + path, headers=headers, json=body, timeout=10)
    answer.raise_for_status()
    return answer.json()["data"]


def trim(path, kind, keep):
    """Deletes resources beyond the first `keep`, because their number per account is limited."""
    for one in ask("GET", f"{path}s?limit=100" if path.endswith("resume") else f"{path}?limit=100", kind)[keep:]:
        headers = {"Authorization": f"Bearer {keys.of(kind)}"}
        requests.delete(f"{API}{path}/{one['id']}", headers=headers, timeout=10)


JOB = {"title": "Engineer", "description": "Builds.", "location": "Berlin", "category": "motorsport", "type": "contract"}


def make_job(is_active=True):
    job = ask("POST", "/jobs", "employer", JOB)["id"]
    if is_active:
        ask("POST", f"/employers/payments/{make_payment(job)}/confirm", "employer")
        ask("POST", f"/jobs/{job}/activate", "employer")
    return job


def make_payment(job):
    return ask("POST", "/employers/payments", "employer", {"job_id": job, "products": ["job-post"]})["id"]


def make_application():
    return ask("POST", f"/candidates/jobs/{make_job()}/apply", "candidate", {"cover_letter": "Hello"})["id"]


def make_candidate():
    make_application()
    return ask("GET", "/me", "candidate")["account_id"]


def make_resume():
    body = {"filename": "cv.txt", "content_base64": "SGVsbG8="}
    trim("/candidates/resume", "candidate", 5)
    return ask("POST", "/candidates/resume", "candidate", body)["id"]


def make_alert():
    trim("/candidates/job-alerts", "candidate", 10)
    body = {"name": "Vans", "criteria": {}, "frequency": "daily"}
    return ask("POST", "/candidates/job-alerts", "candidate", body)["id"]


def make_account():
    """Creates a separate account, because changes to a shared account could revoke a key in use."""
    headers = {"Authorization": f"Bearer {keys.register('candidate')}"}
    answer = requests.get(f"{API}/me", headers=headers, timeout=10)
    answer.raise_for_status()
    return answer.json()["data"]["account_id"]


def make_block():
    body = {"kind": "email_domain", "value": f"{uuid.uuid4()}.example", "reason": "Spam"}
    return ask("POST", "/admin/blocks", "admin", body)["id"]


def make_webhook(kind):
    trim("/webhooks", kind, 10)
    events = [described["type"] for described in ask("GET", "/webhooks/event-types", kind)]
    return ask("POST", "/webhooks", kind, {"url": f"https://{uuid.uuid4()}.example/in", "events": events})["id"]


def make_delivery(kind):
    webhook = make_webhook(kind)
    if kind == "candidate":
        ask("PUT", "/candidates/profile", kind, {"headline": str(uuid.uuid4())})
    else:
        make_job(is_active=False)
    return webhook, ask("GET", f"/webhooks/{webhook}/deliveries", kind)[0]["id"]


def make_recovery(kind):
    webhook = make_webhook(kind)
    return webhook, ask("POST", f"/webhooks/{webhook}/recover", kind, {"since": "2026-01-01"})["id"]


MAKERS = {
    "/jobs/{id}": lambda kind: make_job(),
    "/jobs/{id}/activate": lambda kind: make_job(is_active=False),
    "/candidates/jobs/{id}": lambda kind: make_job(),
    "/candidates/applications/{id}": lambda kind: make_application(),
    "/employers/applications/{id}": lambda kind: make_application(),
    "/candidates/resume/{id}": lambda kind: make_resume(),
    "/candidates/job-alerts/{id}": lambda kind: make_alert(),
    "/candidates/{id}": lambda kind: make_candidate(),
    "/employers/{id}": lambda kind: ask("GET", "/me", "employer")["account_id"],
    "/employers/payments/{id}": lambda kind: make_payment(make_job(is_active=False)),
    "/admin/accounts/{id}": lambda kind: make_account(),
    "/admin/blocks/{id}": lambda kind: make_block(),
    "/admin/payments/{id}": lambda kind: make_payment(make_job(is_active=False)),
    "/admin/products/{slug}": lambda kind: "job-post",
    "/events/{id}": lambda kind: ask("GET", "/events", kind)[0]["id"],
    "/webhooks/{id}": make_webhook,
    "/webhooks/{id}/deliveries/{delivery_id}": make_delivery,
    "/webhooks/{id}/recoveries/{recovery_id}": make_recovery,
}
# Number of requests per resource. After more requests, its state may permit few operations.
USES = 20
shelf = {}
lock = threading.Lock()


def thing(path, kind, is_fresh):
    maker = max((known for known in MAKERS if path.startswith(known)), key=len, default=None)
    if maker is None:
        return None
    uses, ids = shelf.get((maker, kind), (0, None))
    if is_fresh or uses % USES == 0:
        ids = MAKERS[maker](kind)
        ids = ids if isinstance(ids, tuple) else (ids,)
    if not is_fresh:
        shelf[maker, kind] = (uses + 1, ids)
    return ids


# Members that are valid only with certain other values. Half of the bodies omit them.
DELICATE = {
    "createApiKey": ("scopes", "expires_at", "kind", "allowed_origins"),
    "createJob": ("expires_at", "publish_at"),
    "updateJob": ("expires_at", "publish_at"),
    "applyToJob": ("resume_id", "custom_questions"),
    "draftApplication": ("resume_id", "custom_questions"),
    "updateCandidateProfile": ("experience", "email"),
    "recoverWebhook": ("until",),
}


def is_sound(case, location):
    component = case.meta.components.get(location)
    return component is None or component.mode == GenerationMode.POSITIVE


@schemathesis.hook
def before_call(context, case, kwargs):
    """Points most requests with a valid path at an existing resource, and removes most ETags and idempotency keys."""
    if case.meta is None:
        return
    if random.random() < 0.9:
        # A generated ETag fails before any other check, and the example's idempotency key has already been used.
        for header in ("If-Match", "Idempotency-Key"):
            if is_sound(case, ParameterLocation.HEADER) and case.headers:
                case.headers.pop(header, None)
    if case.operation.path.startswith("/admin/accounts/{id}") and is_sound(case, ParameterLocation.PATH):
        # A generated ID could belong to a calling account, which the request would then suspend.
        with lock:
            (account,) = thing(case.operation.path, "admin", is_fresh=case.method.upper() == "DELETE")
        case.path_parameters = {**case.path_parameters, "id": account}
    if case.meta.phase.name == TestPhase.STATEFUL:
        return
    operation = case.operation.definition.raw
    name, kind = operation["operationId"], caller_of(operation)
    is_known = not case.operation.path.startswith("/admin/accounts/{id}") and name not in ENDING
    if case.path_parameters and is_known and is_sound(case, ParameterLocation.PATH) and random.random() < 0.75:
        with lock:
            ids = thing(case.operation.path, kind, is_fresh=case.method.upper() == "DELETE")
        if ids:
            parameters = re.findall(r"\{(\w+)\}", case.operation.path)
            case.path_parameters = {**case.path_parameters, **dict(zip(parameters, ids))}
    if not is_sound(case, ParameterLocation.BODY):
        case.body = filled(case.body)
    elif isinstance(case.body, dict) and random.random() < 0.5:
        body = {member: value for member, value in case.body.items() if member not in DELICATE.get(name, ())}
        if name == "createPayment":
            body = {"job_id": make_job(is_active=False), "products": ["job-post"]}
        if name == "recoverWebhook":
            body = {"since": (datetime.date.today() - datetime.timedelta(days=7)).isoformat()}
        if body != case.body:
            case.body = body


@schemathesis.hook
def after_call(context, case, response):
    """Deletes created keys, because their number per account is limited."""
    if case.operation.definition.raw["operationId"] == "createApiKey" and response.status_code == 201:
        key = response.json()["data"]["id"]
        requests.delete(f"{API}/api-keys/{key}", headers={"Authorization": case.headers["Authorization"]}, timeout=10)


# Values.

LETTERS = string.ascii_lowercase + string.digits
names = st.text(LETTERS, min_size=1, max_size=12)
times = st.datetimes(datetime.datetime(1000, 1, 2), datetime.datetime(9999, 12, 30)).map(
    lambda time: time.replace(microsecond=0).isoformat()
)
formats = {
    # The service rejects leap seconds, which JavaScript does not support, and years below 1000.
    "date-time": st.builds(str.__add__, times, st.sampled_from(["Z", "+01:00", "-11:30"])),
    "date": st.dates(datetime.date(1000, 1, 2), datetime.date(9999, 12, 30)).map(str),
    # Nobody owns domains under .example.
    "uri": names.map(lambda name: f"https://{name}.example/{name}"),
    "email": names.map(lambda name: f"{name}@mail.example"),
    "currency": st.sampled_from(["EUR", "SEK", "USD"]),
    "year-month": st.dates(datetime.date(1000, 1, 1)).map(lambda day: day.strftime("%Y-%m").zfill(7)),
    "phone": st.text(string.digits, min_size=3, max_size=20),
    "iban": st.sampled_from(["GB82WEST12345698765432", "DE89370400440532013000"]),
}
for name, values in formats.items():
    schemathesis.openapi.format(name, values)


@schemathesis.hook
def map_query(context, query):
    """Resolves conflicts between parameters, because otherwise most requests with many parameters would be invalid."""
    if isinstance(query, dict):
        if "page" in query and "cursor" in query:
            del query["page" if len(query) % 2 else "cursor"]
        if isinstance(query.get("distance"), (int, float)):
            query["location"] = "Berlin"
    return query


@schemathesis.hook
def map_body(context, body):
    """Replaces generated hosts, because they may exist."""
    if isinstance(body, dict) and isinstance(body.get("url"), str) and body["url"].startswith("https://"):
        # Keeps the length, which may be too long on purpose.
        body["url"] = f"https://{uuid.uuid4()}.example/in".ljust(len(body["url"]), "x")
    return body


# Rules that no schema can express. A request that its schema accepts may have only these faults.

EXPLAINED = [
    # Patterns for the code, the last part of the pointer (or the parameter), and the detail.
    ("pagination_conflict", "cursor|page", ""),
    ("invalid_cursor", "cursor", ""),
    ("invalid_parameter", "after", "iterator"),
    ("location_not_resolved", "location", ""),
    # Combinations of parameters.
    ("invalid_parameter", "", "^No value lies between|must be before|must not be greater than|needs |cannot be used (together|with)"),
    ("invalid_parameter", "sort", "must appear only once|only in descending order"),
    # Numbers with exponents, which JSON Schema accepts.
    ("invalid_parameter", "distance", "must be a number"),
    # The product of two parameters, or the highest page of a list.
    ("invalid_parameter", "page", "Use cursor"),
    # Combinations of members, or a member and the current time.
    ("invalid_range", "", ""),
    ("required", "end_date|expires_at", ""),
    ("not_allowed", "current|status|publish_at", ""),
    ("not_allowed", "remote", "workplace"),
    ("too_many", "locations", "including location"),
    ("duplicate", "custom_questions", ""),
    ("not_allowed", "message", "requires (status|a new status)"),
    ("too_long", "criteria", ""),
    # Rules about the calling key's scopes, a payment's products, and a webhook host's addresses.
    ("not_allowed", "scopes/[0-9]+|products|products/[0-9]+|url", ""),
    ("not_found", "job_id|job_ids/[0-9]+|resume_id|products/[0-9]+", ""),
    ("", "custom_questions/.*", ""),
    # Rules that depend on the kind of the key, and on what makes a URL an origin.
    ("not_allowed", "kind|scopes|allowed_origins", "publishable"),
    ("invalid_format", "allowed_origins/[0-9]+", "origin"),
    # Rules about the content of a file, which determines its type.
    ("empty_file|invalid_format", "content_base64|#|file", ""),
    # Rules that depend on the format of a feed, on the kind of the account, and on existing employers.
    ("required|not_allowed", "board|is_prepaid", ""),
    ("not_found", "employer_id", ""),
    # In a form, a text is not a file, and a list becomes any number of parts, one per item.
    ("invalid_type|too_many|required", "file", ""),
    # The domain of the employer's website.
    ("not_allowed", "email", "must be an email address at"),
    # Rules that depend on the kind of the block.
    ("invalid_format", "value", "^Enter an? |^A network must not be"),
    # Valid hosts.
    ("invalid_format", ".*(_url|website|github|linkedin)", "URL"),
    # ISO 4217 codes.
    ("invalid_parameter|invalid_format", "(.*_)?currency(_.*)?|salary_in|rates/.*", "ISO 4217"),
    ("invalid_format", "bank_iban", "check digits"),
    # One of the board's languages.
    ("not_allowed", "default_language", "languages"),
    # The job-post product, without which employers could not post jobs.
    ("not_allowed", "is_active", "must stay for sale"),
    # A page of the board that does not exist yet.
    ("required", "title|text", ""),
]


def is_explained(fault, case):
    at = fault.get("pointer", fault.get("parameter", "")).removeprefix("#/")
    if fault["code"] == "too_short":
        return is_invisible(value_at(case.body, at))
    if fault["code"] == "invalid_text":
        return True
    return any(
        (not code or re.fullmatch(code, fault["code"]))
        and (not place or re.fullmatch(f"(.*/)?({place})", at))
        and re.search(detail, fault["detail"])
        for code, place, detail in EXPLAINED
    )


def value_at(body, pointer):
    for part in pointer.split("/"):
        try:
            body = body[int(part)] if isinstance(body, list) else body[part]
        except (KeyError, IndexError, TypeError, ValueError):
            return None
    return body


# Matches the empty Braille pattern and all Default_Ignorable_Code_Point characters except control and format
# characters. Python does not provide this Unicode property.
INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]")


def is_invisible(text):
    """Returns whether a text has no visible character. The service treats such a text as blank."""
    return isinstance(text, str) and all(
        character.isspace() or unicodedata.category(character) in ("Cc", "Cf") or INVISIBLE.match(character)
        for character in text
    )


def filled(value):
    """Replaces invisible characters at the ends of texts, because the service trims them before other checks."""
    if isinstance(value, dict):
        return {name: filled(member) for name, member in value.items()}
    if isinstance(value, list):
        return [filled(item) for item in value]
    if not isinstance(value, str):
        return value
    characters = list(value)
    for places in (range(len(value)), reversed(range(len(value)))):
        for place in places:
            if not is_invisible(characters[place]):
                break
            characters[place] = "x"
    return "".join(characters)


@schemathesis.check
def refused_for_a_known_rule(context, response, case):
    """Checks that a request that its schema accepts fails only because of rules that no schema can express."""
    if case.meta is None or case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    if response.status_code not in (400, 422):
        return
    if response.json().get("code") == "idempotency_key_reuse":
        # An earlier request used the example's idempotency key with a different body.
        return
    unexplained = [fault for fault in response.json().get("errors", [{}]) if not fault or not is_explained(fault, case)]
    if unexplained:
        raise AssertionError(f"The service refused a valid request: {unexplained[:3]}")
