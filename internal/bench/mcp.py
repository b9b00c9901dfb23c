# What a hook written by hand does: three requests to an MCP server, and a look
# at the answer. Arguments: the server's URL and the token.
import json
import sys
import urllib.request

url, token = sys.argv[1], sys.argv[2]
event = json.load(sys.stdin)
session = {}


def call(body):
    request = urllib.request.Request(url, data=json.dumps(body).encode(), headers={
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Authorization": "Bearer " + token,
        **session,
    })
    with urllib.request.urlopen(request, timeout=5) as answer:
        if answer.headers.get("Mcp-Session-Id"):
            session["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
        return answer.read()


call({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}})
call({"jsonrpc": "2.0", "method": "notifications/initialized"})
answer = call({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
    "name": "agents", "arguments": {}}})
if event["session_id"].encode() in answer:
    print(json.dumps({"decision": "block", "reason": "mail"}))
