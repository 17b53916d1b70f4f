export const runFacts = (alias: string): string =>
  `jsonb_build_object('id', ${alias}.id, 'planId', ${alias}.plan_id, 'planName', ${alias}.plan_name,
    'planRevision', ${alias}.plan_revision, 'environmentId', ${alias}.environment_id,
    'environmentName', ${alias}.environment_name, 'status', ${alias}.status, 'execution_mode', ${alias}.execution_mode,
    'startedBy', jsonb_build_object('id', ${alias}.started_by, 'name', ${alias}.started_by_name), 'labels', ${alias}.labels)`;

export const externalEventColumns = (alias: string): string =>
  `${alias}.environment_id, ${alias}.plan_id, ${alias}.id as execution_id, ${runFacts(alias)} as run`;
