import { describe, expect, it } from 'vitest';
import { installationState, noteInstallationState, onInstallationState } from './installation-state';

const answer = (headers: Record<string, string>) => new Response(null, { headers });
const own = { 'X-Request-Id': '1' };

describe('the state of the installation', () => {
  it('follows the header of the latest answer of Runward, and reports changes only', () => {
    const seen: (string | null)[] = [];
    const stop = onInstallationState(() => seen.push(installationState()));
    noteInstallationState(answer(own));
    noteInstallationState(answer({ ...own, 'Runward-Installation': 'held; cause=copy' }));
    noteInstallationState(answer({ ...own, 'Runward-Installation': 'held; cause=copy' }));
    // A response of a proxy says nothing about the installation.
    noteInstallationState(answer({}));
    noteInstallationState(answer(own));
    stop();
    noteInstallationState(answer({ ...own, 'Runward-Installation': 'draining; cause=person' }));
    expect(seen).toEqual(['held; cause=copy', null]);
  });
});
