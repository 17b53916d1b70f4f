import type { Request } from 'express';
import type { Principal, RunwardRequest } from './principal.js';

/** Asks again whether a request's credential still holds: long streams do so while they are open. */
export interface CredentialCheck {
  /** @throws Problem 401 when it no longer holds */
  resolveRequest(request: Request & RunwardRequest): Promise<Principal>;
}

/** Injection token of the `CredentialCheck`; the room `auth` provides it. */
export const CREDENTIAL_CHECK = Symbol('credential-check');
