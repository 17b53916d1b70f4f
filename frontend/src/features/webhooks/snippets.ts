export const SNIPPETS = [
  {
    value: 'node',
    label: 'Node',
    code: `// npm install standardwebhooks express
import express from 'express';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET); // whsec_…
const seen = new Set(); // In a real service: a table, kept for a week.

express()
  .post('/runward', express.raw({ type: '*/*' }), (request, response) => {
    let message;
    try {
      // Use the raw bytes: parsing them first would break the signature.
      message = webhook.verify(request.body, request.headers);
    } catch {
      return response.sendStatus(401);
    }
    const id = request.headers['webhook-id'];
    if (!seen.has(id)) {
      seen.add(id);
      console.log(message.type, message.data.run?.webUrl);
    }
    response.sendStatus(204);
  })
  .listen(3000);
`,
  },
  {
    value: 'python',
    label: 'Python',
    code: `# pip install standardwebhooks flask
import os
from flask import Flask, request
from standardwebhooks import Webhook, WebhookVerificationError

app = Flask(__name__)
webhook = Webhook(os.environ["WEBHOOK_SECRET"])  # whsec_…

@app.post("/runward")
def take():
    try:
        message = webhook.verify(request.get_data(), request.headers)
    except WebhookVerificationError:
        return "", 401
    # A repeated message has the same webhook-id: process each ID once.
    print(request.headers["webhook-id"], message["type"])
    return "", 204
`,
  },
  {
    value: 'shell',
    label: 'Shell',
    code: `# The three headers and the body of one message, verified with openssl.
# Refuse timestamps that are older than five minutes.
id='…'  timestamp='1764000000'  signature='v1,…'  # body.json contains the raw bytes

key=$(printf '%s' "\${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
expected="v1,$({ printf '%s.%s.' "$id" "$timestamp"; cat body.json; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)"

# There are two signatures for 24 hours after a rotation of the secret.
case " $signature " in *" $expected "*) echo genuine ;; *) echo refused ;; esac
`,
  },
] as const;
