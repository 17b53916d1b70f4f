/** Schema of one module at the baseline: SQL, executed for all modules in the order of the fields. */
export interface ModuleSchema {
  functions?: string;
  /** Tables with their indexes. They refer to tables of earlier modules only. */
  tables: string;
  /** Triggers, policies beside tenant isolation, and grants. */
  rules?: string;
  /** Tables with tenant isolation, and the privileges of the application role. */
  tenantTables: Readonly<Record<string, string>>;
}
