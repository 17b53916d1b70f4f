import { screen } from '@testing-library/react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { fakeServer } from '../../../test/fake-server';
import { renderComponent } from '../../../test/render';
import { trustRulesQuery } from '../../api/queries/access/trust-rules';
import type { TrustRule } from '../../api/types';
import { listState } from '../../ui/tables/list-state';
import { TrustRuleDialog } from './TrustRuleDialog';

const { answer, refuse, sent } = fakeServer();
const RULES = '/api/oidc-trust-rules';
const RULE = {
  ...{
    id: 'r1',
    name: 'shop',
    version: 3,
    issuer: 'https://gitlab.com',
    audience: 'runward',
    subject: 'a/b',
    claims: {},
  },
  ...{ user: { id: 'm2', name: 'ci', kind: 'service_account' }, access: 'run', environmentIds: ['e1'], planIds: null },
  ...{ tokenLifetimeSeconds: 900, enabled: true, waitingRuns: 2 },
} as TrustRule;

/** Dialog of the page, with the rule that the server has now. */
function CurrentRule({ onClose }: { onClose: () => void }) {
  const [rule] = listState(useInfiniteQuery(trustRulesQuery(undefined))).rows ?? [];
  return rule ? <TrustRuleDialog rule={rule} onClose={onClose} /> : null;
}

async function show(rule: TrustRule | null) {
  answer('get', '/api/environments', { items: [{ id: 'e1', name: 'staging' }] });
  answer('get', '/api/plans', { items: [] });
  answer('get', '/api/members', { items: [{ id: 'm2', name: 'ci', email: '', kind: 'service_account' }] });
  answer('get', RULES, { items: [RULE], nextCursor: null });
  answer('post', RULES, RULE, 201);
  answer('patch', `${RULES}/r1`, RULE);
  const state = { closed: false };
  const onClose = () => {
    state.closed = true;
  };
  const { user } = renderComponent(
    rule ? <CurrentRule onClose={onClose} /> : <TrustRuleDialog rule={null} onClose={onClose} />,
  );
  await screen.findByRole('dialog');
  return { user, isClosed: () => state.closed };
}

const field = (name: RegExp) => screen.getByRole('textbox', { name });

describe('the dialog of a trust rule', () => {
  it('creates a rule for all environments and plans', async () => {
    const { user, isClosed } = await show(null);
    await user.type(field(/^Name/), 'shop');
    await user.type(field(/^Issuer/), 'https://gitlab.com');
    await user.type(field(/^Subject/), 'a/*');
    await user.click(screen.getByRole('combobox', { name: /^Acts as/ }));
    await user.click(await screen.findByRole('option', { name: 'ci (service account)' }));
    await user.click(screen.getByRole('button', { name: 'Create trust rule' }));
    await expect.poll(isClosed).toBe(true);
    expect(sent).toMatchObject([
      {
        method: 'post',
        body: {
          ...{ name: 'shop', issuer: 'https://gitlab.com', subject: 'a/*', audience: 'http://runward.test' },
          ...{ userId: 'm2', access: 'run', environmentIds: null, planIds: null, tokenLifetimeSeconds: 3600 },
        },
      },
    ]);
  });

  it('sends further claims, and refuses one without a pattern', async () => {
    const { user, isClosed } = await show(RULE);
    const claims = screen.getByLabelText(/^Further claims/, { selector: 'input:not([type=hidden])' });
    await user.type(claims, 'environment{Enter}');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('Write “environment” as name=pattern')).toBeTruthy();
    await user.type(claims, '{Backspace}job_workflow_ref=acme/flows/a=b,c@*{Enter}protected=true');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await expect.poll(isClosed).toBe(true);
    expect(sent).toMatchObject([{ body: { claims: { job_workflow_ref: 'acme/flows/a=b,c@*', protected: 'true' } } }]);
  });

  it('sends nothing without the member that the token acts as', async () => {
    const { user } = await show(null);
    await user.click(screen.getByRole('button', { name: 'Create trust rule' }));
    expect(await screen.findByText('Choose the member that the token acts as')).toBeTruthy();
    expect(sent).toEqual([]);
  });

  it('fills issuer and subject from an example', async () => {
    const { user } = await show(null);
    await user.click(screen.getByRole('button', { name: 'GitLab' }));
    await user.click(screen.getByRole('button', { name: 'Use project_path:acme/shop:ref_type:branch:ref:main' }));
    expect(field(/^Issuer/)).toHaveProperty('value', 'https://gitlab.com');
    expect(field(/^Subject/)).toHaveProperty('value', 'project_path:acme/shop:ref_type:branch:ref:main');
  });

  it('shows the error of a field there, and keeps the edits', async () => {
    const { user, isClosed } = await show(RULE);
    const errors = [{ path: '/issuer', code: 'unreachable', message: 'The issuer does not answer.' }];
    refuse('patch', `${RULES}/r1`, { status: 422, code: 'validation_failed', errors });
    await user.clear(field(/^Issuer/));
    await user.type(field(/^Issuer/), 'https://gitlab.test');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    const message = await screen.findByText('The issuer does not answer.');
    expect(field(/^Issuer/).getAttribute('aria-describedby')).toContain(message.id);
    expect(field(/^Issuer/)).toHaveProperty('value', 'https://gitlab.test');
    expect(isClosed()).toBe(false);
  });

  it('shows a refusal that concerns no field above the buttons', async () => {
    const { user } = await show(RULE);
    refuse('patch', `${RULES}/r1`, { status: 409, code: 'limit_reached', detail: 'Too many rules.' });
    await user.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('Too many rules.')).toBeTruthy();
  });

  it('warns which waiting runs a change cancels', async () => {
    await show(RULE);
    expect(screen.getByText(/are cancelled \(now: 2\)/)).toBeTruthy();
  });

  it('saves the kept edits over a version that someone else saved', async () => {
    const { user, isClosed } = await show(RULE);
    refuse('patch', `${RULES}/r1`, { status: 412, code: 'version_mismatch' });
    answer('get', RULES, { items: [{ ...RULE, version: 7, name: 'shop-2' }], nextCursor: null });
    await user.clear(field(/^Subject/));
    await user.type(field(/^Subject/), 'a/c');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await user.click(await screen.findByRole('button', { name: 'Keep my edits' }));
    answer('patch', `${RULES}/r1`, RULE);
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await expect.poll(isClosed).toBe(true);
    expect(sent.map(({ version }) => version)).toEqual([3, 7]);
    expect(sent[1]?.body).toMatchObject({ subject: 'a/c', name: 'shop' });
  });
});
