import { LEGACY_ALGORITHMS } from './keys/legacy-algorithms.js';
import type { OfferedAlgorithms } from './keys/ssh-algorithms.js';
import { formatAlgorithmList, type ServerProposal } from './server-algorithms.js';

export interface AlgorithmLists {
  offered?: OfferedAlgorithms;
  /** Algorithms that the host offered; null = none received. */
  proposal?: ServerProposal | null;
  /** Whether the server allows legacy algorithms; undefined = the setting does not exist for it. */
  legacyAlgorithms?: boolean;
}

/** Whether the host's accepted RSA key signs only with SHA-1. */
export function signsOnlyWithSha1({ offered: own, proposal }: AlgorithmLists): boolean {
  const offered = proposal?.hostKeys ?? [];
  return (
    (own?.hostKeys.includes('rsa-sha2-256') ?? false) &&
    offered.includes('ssh-rsa') &&
    !offered.some((name) => /^rsa-sha2-(?:256|512)$/.test(name))
  );
}

/** @param reason error of the SSH library, which names the first kind without a common algorithm */
export function describeNoCommonAlgorithm(where: string, reason: string, lists: AlgorithmLists): string {
  const setting = wouldLegacyAlgorithmsHelp(lists)
    ? ' Or allow legacy algorithms for it (server setting legacyAlgorithms).'
    : '';
  if (reason.includes('host key'))
    return `${where} offers its RSA host key only with the old signature ssh-rsa (SHA-1), which Runward does not accept. Update its SSH server, or give it an Ed25519 or ECDSA host key.${setting}`;
  const { offered: own, proposal } = lists;
  const [what, offered, ours] = reason.includes('key exchange')
    ? ['key exchange', proposal?.keyExchanges, own?.keyExchanges]
    : reason.includes('cipher')
      ? ['cipher', proposal?.ciphers, own?.ciphers]
      : reason.includes('MAC')
        ? ['MAC', proposal?.macs, own?.macs]
        : ['compression', undefined, undefined];
  const list = offered
    ? ` It offers ${formatAlgorithmList(offered)}; Runward uses ${formatAlgorithmList(ours ?? [])}.`
    : '';
  return `${where} and Runward have no ${what} in common.${list} Update its SSH server, or enable one of those in its settings.${setting}`;
}

const ALGORITHM_KINDS = ['keyExchanges', 'hostKeys', 'ciphers', 'macs'] as const;

/** Whether the setting would help: every kind without a common algorithm has a common legacy algorithm. */
function wouldLegacyAlgorithmsHelp({ offered: own, proposal, legacyAlgorithms }: AlgorithmLists): boolean {
  if (legacyAlgorithms !== false || !own || !proposal) return false;
  const findCommon = (kind: (typeof ALGORITHM_KINDS)[number], names: readonly string[]) =>
    names.find((name) => proposal[kind].includes(name));
  // GCM and Poly1305 ciphers authenticate their packets themselves.
  const needsMac = !/gcm|poly1305/.test(findCommon('ciphers', own.ciphers) ?? '');
  return ALGORITHM_KINDS.filter((kind) => kind !== 'macs' || needsMac)
    .filter((kind) => findCommon(kind, own[kind]) === undefined)
    .every((kind) => {
      if (kind === 'hostKeys' && !own.hostKeys.includes('rsa-sha2-256')) return false;
      return findCommon(kind, LEGACY_ALGORITHMS[kind]) !== undefined;
    });
}
