import { listEnvironmentsClosedTo } from '../../environments/caller-environments.js';
import { findEnvironmentsWithRuns } from '../../executions/queries/environments-run-in.js';
import type { GitSourceReach } from '../../git-sources/git-source-reach.js';
import { listPlansFromSource } from '../../plans/records/plans-from-source.js';
import { scriptsFromGit } from '../../scripts/scripts-from-git.js';
import { templatesFromGit } from '../../templates/templates-from-git.js';
import { listScheduledEnvironments } from './schedules-in-use.js';

/** Larger than the number of scripts or templates of any tenant. */
const MAX_SCHEDULES_READ = 1_000_000;

export const gitSourceReach: GitSourceReach = async (tx, caller, gitSourceId) => {
  const { tenantId } = caller;
  const closed = await listEnvironmentsClosedTo(tx, caller);
  if (closed.length === 0) return [];
  const scripts = await scriptsFromGit(tx, caller, gitSourceId, MAX_SCHEDULES_READ);
  const templates = await templatesFromGit(tx, caller, gitSourceId, MAX_SCHEDULES_READ);
  const plans = await listPlansFromSource(tx, tenantId, {
    gitSourceId,
    scriptIds: scripts.map(({ id }) => id),
    templateIds: templates.map(({ id }) => id),
  });
  const planIds = plans.map(({ id }) => id);
  const closedIds = closed.map(({ id }) => id);
  const used = new Set([
    ...plans.map(({ environmentId }) => environmentId),
    ...(await listScheduledEnvironments(tx, tenantId, planIds)),
    ...(await findEnvironmentsWithRuns(tx, tenantId, planIds, closedIds)),
  ]);
  return closed.filter(({ id }) => used.has(id)).map(({ name, visible }) => ({ name, visible }));
};
