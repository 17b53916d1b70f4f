import { describe, expect, it } from 'vitest';
import { emptyForm, isEnrolmentField, missing, toRequest } from './enrolment-form';
import { enrolmentStyle, enrolmentStateText } from './enrolment-states';
import { cloudConfig } from './ready-texts';

const login = (state: 'reachable' | 'login_refused', at = '2026-06-01T12:00:00.000Z') => ({
  at,
  state,
  reason: { code: state, text: state },
});

describe('an enrolment', () => {
  it('is asked for with what was typed, and without what was left empty', () => {
    const form = {
      ...emptyForm('e1'),
      sshKeyId: 'k1',
      username: ' deploy ',
      tags: ['role=web', 'new'],
      port: '' as const,
    };
    expect(toRequest(form)).toEqual({
      ...{ environmentId: 'e1', sshKeyId: 'k1', username: 'deploy', tags: { role: 'web', new: '' } },
      ...{ jumpServerId: null, expiresInSeconds: 3600 },
    });
    expect(missing(emptyForm())).toHaveProperty('environmentId');
    expect([isEnrolmentField('username'), isEnrolmentField('toString')]).toEqual([true, false]);
  });

  it('has a label of its own for each state', () => {
    const labels = [
      enrolmentStyle({ state: 'open', login: null }),
      enrolmentStyle({ state: 'used', login: null }),
      enrolmentStyle({ state: 'used', login: login('reachable') }),
      enrolmentStyle({ state: 'used', login: login('login_refused') }),
      enrolmentStyle({ state: 'revoked', login: null }),
      enrolmentStyle({ state: 'expired', login: null }),
    ].map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
  });

  it('describes the latest event: a refused host, or the result of a login', () => {
    const elsewhere = {
      name: 'h',
      by: 'address',
      serverId: 's',
      serverName: 'db-1',
      environmentId: 'e',
      environmentName: 'production',
    } as const;
    const refused = {
      at: '2026-06-01T12:00:01.000Z',
      address: '10.0.0.9',
      reason: { code: 'enrolment_refused', text: 'No.' },
      otherServers: [],
      hiddenServers: 0,
    };
    expect(enrolmentStateText({ state: 'open', login: null, lastRefusal: null })).toBeNull();
    expect(enrolmentStateText({ state: 'open', login: null, lastRefusal: refused })).toBe(
      'A host from 10.0.0.9 was refused: No.',
    );
    expect(
      enrolmentStateText({ state: 'open', login: null, lastRefusal: { ...refused, otherServers: [elsewhere] } }),
    ).toBe('A host from 10.0.0.9 was refused: No. It is the host of “db-1” in “production”.');
    expect(enrolmentStateText({ state: 'used', login: login('reachable'), lastRefusal: refused })).toContain(
      'was refused',
    );
    expect(
      enrolmentStateText({
        state: 'used',
        login: login('login_refused', '2026-06-01T12:00:02.000Z'),
        lastRefusal: refused,
      }),
    ).toBe('login_refused');
  });

  it('is handed to cloud-init with the user, unless that is root', () => {
    expect(cloudConfig({ command: 'sh -c "x"', username: '1e3' })).toBe(
      '#cloud-config\nusers:\n  - default\n  - name: "1e3"\n    shell: /bin/sh\nruncmd:\n  - |\n    sh -c "x"\n',
    );
    expect(cloudConfig({ command: 'a\nb', username: 'root' })).toBe('#cloud-config\nruncmd:\n  - |\n    a\n    b\n');
  });
});
