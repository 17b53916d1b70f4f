import type { Environment } from './environment.entity.js';

export class EnvironmentView {
  id: string;
  /** @example "staging" */
  name: string;
  description: string;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export class EnvironmentListView {
  items: EnvironmentView[];
  nextCursor: string | null;
}

export const toEnvironmentView = (environment: Environment): EnvironmentView => ({
  id: environment.id,
  name: environment.name,
  description: environment.description,
  createdAt: environment.createdAt.toISOString(),
  updatedAt: environment.updatedAt.toISOString(),
  version: environment.version,
});
