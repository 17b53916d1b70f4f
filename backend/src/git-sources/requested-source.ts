import { invalidRequest } from '../common/errors/problem.js';
import type { HostKeyRequest } from '../common/http/host-key.dto.js';
import type { ProblemItem } from '../common/errors/problem-item.js';
import type { CreateGitSourceRequest, GitCredentialRequest } from './git-sources.dto.js';
import { isRefName } from './urls/git-names.js';
import { type GitUrl, parseGitUrl } from './urls/git-url.js';

type RequestedSource = Pick<CreateGitSourceRequest, 'url' | 'branch' | 'credential' | 'hostKey'>;

/**
 * Validates all fields together: the credential must fit the address.
 * @returns the parsed address
 * @throws Problem 400
 */
export function requireValidSource({ url: text, branch, credential, hostKey }: RequestedSource): GitUrl {
  const faults: ProblemItem[] = [];
  const url = parseGitUrl(text);
  if (typeof url === 'string') faults.push({ path: '/url', code: 'invalid_git_url', message: url });
  if (typeof branch === 'string' && !isRefName(branch))
    faults.push({ path: '/branch', code: 'invalid_ref', message: 'Send the name of a branch, such as main.' });
  if (credential) faults.push(...findCredentialFaults(credential));
  if (typeof url !== 'string') faults.push(...findSchemeMismatches(url, credential, hostKey));
  if (faults.length > 0 || typeof url === 'string') throw invalidRequest(faults);
  return url;
}

function findCredentialFaults({ sshKeyId, token, user }: GitCredentialRequest): ProblemItem[] {
  const path = '/credential';
  if ((sshKeyId === undefined) === (token === undefined))
    return [
      {
        path,
        code: sshKeyId === undefined ? 'required' : 'conflicting_fields',
        message: 'Send either sshKeyId or token.',
      },
    ];
  return user !== undefined && token === undefined
    ? [
        {
          path: `${path}/user`,
          code: 'not_applicable',
          message: 'The ssh user is part of the address. Remove it here.',
        },
      ]
    : [];
}

function findSchemeMismatches(
  { scheme }: GitUrl,
  credential: GitCredentialRequest | null | undefined,
  hostKey: HostKeyRequest | null | undefined,
): ProblemItem[] {
  if (scheme === 'https') {
    const faults: ProblemItem[] = [];
    if (credential?.sshKeyId !== undefined)
      faults.push({
        path: '/credential/sshKeyId',
        code: 'not_applicable',
        message: 'An https address needs a token. Send one, or the ssh address of the repository.',
      });
    if (hostKey)
      faults.push({
        path: '/hostKey',
        code: 'not_applicable',
        message: 'Only ssh addresses have host keys. Remove it.',
      });
    return faults;
  }
  return credential?.token === undefined
    ? []
    : [
        {
          path: '/credential/token',
          code: 'not_applicable',
          message: 'An ssh address needs an SSH key. Send sshKeyId, or the https address of the repository.',
        },
      ];
}
