import type { Protection } from '../../../api/types';

const PROOF_TEXTS: Record<string, string> = {
  check: 'a check signed in',
  schedule: 'a check signed in',
  enrolment: 'it registered itself',
  run: 'a run signed in',
  upgrade: 'it was in use before an upgrade',
};

/** Returns why a server protects its host; null: it does not protect it. */
export function protectionReason({ state, proofs }: Pick<Protection, 'state' | 'proofs'>): string | null {
  if (state !== 'proved' && state !== 'confirmed') return null;
  const confirmed = proofs.find(({ confirmedBy }) => confirmedBy !== null);
  if (confirmed?.confirmedBy) return `${confirmed.confirmedBy.name} confirmed it`;
  const proved = proofs.find(({ provedHow }) => provedHow !== null);
  return PROOF_TEXTS[proved?.provedHow ?? 'upgrade'] ?? null;
}
