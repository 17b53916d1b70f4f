import { getProxyForUrl } from 'proxy-from-env';

/** Standard variables of the proxy for outgoing calls. Lower-case names are valid too. */
export const PROXY_VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY'] as const;

/** Returns the proxy for a call, as `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say; null = none. */
export const findProxy = (url: string): string | null => getProxyForUrl(url) || null;
