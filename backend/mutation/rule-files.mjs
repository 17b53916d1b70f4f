/**
 * Pure rule files that mutation testing covers, with the specs that must kill their mutants. Paths relative to `src`.
 */
export const RULE_FILES = [
  { name: 'guard', files: ['executions/lifecycle/overlap.ts'], specs: ['executions/lifecycle/overlap.spec.ts'] },
  {
    name: 'approval',
    files: ['executions/approval/approval-policy.ts', 'executions/approval/used-revisions.ts'],
    specs: ['executions/approval/*.spec.ts'],
  },
  { name: 'tenancy', files: ['environments/grant-policy.ts'], specs: ['environments/grant-policy.spec.ts'] },
  { name: 'scopes', files: ['common/access/caller-limits.ts'], specs: ['common/access/*.spec.ts'] },
  { name: 'leases', files: ['executions/engine/lease/lease.ts'], specs: ['executions/engine/lease/lease.spec.ts'] },
  {
    name: 'expand',
    files: ['expand-plan.ts', 'freeze-call.ts', 'scope-facts.ts', 'scope-values.ts'].map(
      (file) => `executions/scopes/${file}`,
    ),
    specs: ['executions/scopes/*.spec.ts'],
  },
  {
    name: 'masking',
    files: ['redact-secrets.ts', 'masking-stream.ts', 'masking/**/*.ts'].map((file) => `executions/output/${file}`),
    // Excludes specs that use real tools, because they start a process per text.
    specs: ['executions/output/redact-secrets.spec.ts', 'executions/output/masking/**/!(real-tools).spec.ts'],
  },
];
