import type { Request } from 'express';
import type { Principal, RunwardRequest } from './principal.js';

/** Validates the credential of a request again, for example while a stream is open. */
export interface CredentialCheck {
  /** @throws Problem 401 if the credential is no longer valid */
  resolveRequest(request: Request & RunwardRequest): Promise<Principal>;
}

/** Injection token of `CredentialCheck`; the module `auth` provides it. */
export const CREDENTIAL_CHECK = Symbol('credential-check');
