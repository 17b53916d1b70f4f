import type { StatusReason } from '../lifecycle/run-state.js';
import type { TokenEnd } from './run-head.js';

const TEXTS: Readonly<Record<TokenEnd, string>> = {
  revoked: 'The API token that started it was revoked, or its trust rule has ended.',
  removed: 'The API token that started it was removed.',
  disabled: 'The service account that started it was disabled.',
  expired: 'The API token that started it expired before the run began.',
};

/** Why a run ends with its token. */
export const tokenEnded = (end: TokenEnd): StatusReason => ({
  code: 'token_ended',
  text: `${TEXTS[end]} Nothing was run. Start it again with a valid token.`,
});
