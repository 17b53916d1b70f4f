/** Headers of a webhook request, as `Headers` or as an object with lower-case names. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

export interface WebhookMessage {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

const TOLERANCE_SECONDS = 300;

/**
 * Verifies the signature of a webhook message (Standard Webhooks) and returns the message.
 * @param secret the secret of the webhook: `whsec_…`
 * @param rawBody the body as received, not parsed JSON
 * @throws Error if no signature matches, or the message is older or newer than the tolerance
 */
export async function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  rawBody: string,
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() } = {},
): Promise<WebhookMessage> {
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const ageSeconds = Math.abs(now / 1000 - Number(timestamp));
  if (!(ageSeconds <= toleranceSeconds)) throw new Error('The webhook message is too old or from the future.');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', fromBase64(secret.replace(/^whsec_/, '')), algorithm, false, [
    'verify',
  ]);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${rawBody}`);
  for (const signature of readHeader(headers, 'webhook-signature').split(' ')) {
    const [version, encoded = ''] = signature.split(',');
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, fromBase64(encoded), content)))
      return JSON.parse(rawBody) as WebhookMessage;
  }
  throw new Error('No signature of the webhook message matches.');
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string') throw new Error(`The header ${name} is missing.`);
  return value;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
