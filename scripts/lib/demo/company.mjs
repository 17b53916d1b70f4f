/** Creates the demo's people, collections, plans and schedule. Keeps existing records. */
import { COLLECTIONS, OPERATORS, REVIEWER } from './content/fleet.mjs';
import { BACKUP, PLANS, TEMPLATE } from './content/plans.mjs';

/**
 * @param environments by name
 * @param reviewerPassword password of the second login
 * @returns plans by name
 */
export async function ensureCompany(api, environments, reviewerPassword) {
  const [reviewer, ...operators] = await ensureMembers(api, [
    { ...REVIEWER, password: reviewerPassword },
    ...OPERATORS,
  ]);
  const grants = `/api/environments/${environments.production.id}/grants`;
  await api.put(`${grants}/${reviewer.id}`, { level: 'approve' });
  for (const { id } of operators) await api.put(`${grants}/${id}`, { level: 'run' });

  const template = await ensure(api, '/api/templates', TEMPLATE);
  const collections = {};
  for (const each of COLLECTIONS) collections[each.name] = (await ensure(api, '/api/collections', each)).id;
  const plans = {};
  for (const { collection, ...plan } of PLANS) {
    const steps = plan.steps.map(({ template: name, ...step }) => (name ? { ...step, templateId: template.id } : step));
    const record = {
      targets: '',
      ...plan,
      steps,
      collectionId: collections[collection],
      environmentId: environments.staging.id,
    };
    plans[plan.name] = await ensure(api, '/api/plans', record);
  }
  await ensure(api, '/api/schedules', {
    name: 'Nightly backup',
    note: 'Staging only: production backups need an approval.',
    planId: plans[BACKUP].id,
    environmentId: environments.staging.id,
    execution_mode: 'auto',
    cron: '30 2 * * *',
    timeZone: 'Etc/UTC',
  });
  return plans;
}

const ensure = async (api, path, record) => (await api.find(path, record.name)) ?? api.post(path, record);

async function ensureMembers(api, members) {
  const { items } = await api.get('/api/members?limit=200');
  const known = new Map(items.map((item) => [item.email, item]));
  const ensured = [];
  for (const each of members) ensured.push(known.get(each.email) ?? (await api.post('/api/members', each)));
  return ensured;
}
