import type { Request } from 'express';
import type { Principal, RunwardRequest } from './principal.js';

/** Checks again whether the credential of a request is still valid, for example while a stream is open. */
export interface CredentialCheck {
  /** @throws Problem 401 if the credential is no longer valid */
  resolveRequest(request: Request & RunwardRequest): Promise<Principal>;
}

/** Injection token of the `CredentialCheck`; the module `auth` provides it. */
export const CREDENTIAL_CHECK = Symbol('credential-check');
