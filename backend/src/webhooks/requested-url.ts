import { OutgoingAddressError } from '../common/network/outgoing-addresses.js';
import { OutgoingRequestError, parseOutgoingUrl } from '../common/network/outgoing-request.js';
import { invalidRequest } from '../common/errors/problem.js';
import type { FaultCode } from '../common/errors/fault-codes.js';
import { TlsRequiredError } from './sending/webhook-addresses.js';
import type { WebhookHttp } from './sending/webhook-http.js';

/**
 * Validates the URL of a webhook as far as possible now; each delivery validates it again. Resolves the host name, so
 * it must not be called inside a unit of work.
 * @returns the normalised URL
 * @throws Problem 400
 */
export async function validUrl(http: WebhookHttp, tenantId: string, text: string): Promise<string> {
  const url = parse(text);
  const isPlain = url.protocol === 'http:';
  try {
    await http.requireAllowed(tenantId, url.href);
  } catch (error) {
    if (!(error instanceof OutgoingAddressError)) throw error;
    if (error.code === 'address_refused')
      throw fault(error instanceof TlsRequiredError ? 'https_required' : 'address_refused', error.message);
    // With TLS, the name may exist later. Without TLS it must resolve to a private address now.
    if (isPlain)
      throw fault(
        'https_required',
        `${error.message} Without TLS, Runward only calls private addresses, so the name must resolve. Use https, or correct the name.`,
      );
  }
  return url.href;
}

function parse(text: string): URL {
  try {
    const url = parseOutgoingUrl(text);
    // HTTP clients never send the fragment.
    url.hash = '';
    return url;
  } catch (error) {
    if (!(error instanceof OutgoingRequestError)) throw error;
    throw fault('invalid_url', error.message);
  }
}

const fault = (code: FaultCode, message: string) => invalidRequest([{ path: '/url', code, message }]);
