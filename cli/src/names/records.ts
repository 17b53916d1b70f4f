import { requireAnswer, getAnswerOrNull, type Api, type Schemas } from '../client/api.ts';
import { findRecord } from './find.ts';

/** Finds records by name or ID. Plans come without their steps. */

export const findPlan = (api: Api, argument: string): Promise<Pick<Schemas['PlanView'], 'id' | 'name'>> =>
  findRecord(argument, {
    what: 'plan',
    byId: (id) => getAnswerOrNull(api.GET('/api/plans/{id}', { params: { path: { id } } })),
    list: (query) => requireAnswer(api.GET('/api/plans', { params: { query: { ...query, sort: 'name' } } })),
  });

export const findEnvironment = (api: Api, argument: string): Promise<Schemas['EnvironmentView']> =>
  findRecord(argument, {
    what: 'environment',
    byId: (id) => getAnswerOrNull(api.GET('/api/environments/{id}', { params: { path: { id } } })),
    list: (query) => requireAnswer(api.GET('/api/environments', { params: { query: { ...query, sort: 'name' } } })),
  });

export const findServer = (api: Api, argument: string): Promise<Schemas['ServerView']> =>
  findRecord(argument, {
    what: 'server',
    byId: (id) => getAnswerOrNull(api.GET('/api/inventory/servers/{id}', { params: { path: { id } } })),
    list: (query) =>
      requireAnswer(api.GET('/api/inventory/servers', { params: { query: { ...query, sort: 'name' } } })),
    describe: ({ name, hostname, port, environmentId }) =>
      `${name} at ${hostname}:${port}, environment ${environmentId}`,
  });

export const findSshKey = (api: Api, argument: string): Promise<Schemas['SshKeyView']> =>
  findRecord(argument, {
    what: 'SSH key',
    byId: (id) => getAnswerOrNull(api.GET('/api/ssh-keys/{id}', { params: { path: { id } } })),
    list: (query) => requireAnswer(api.GET('/api/ssh-keys', { params: { query: { ...query, sort: 'name' } } })),
  });

export const findGitSource = (api: Api, argument: string): Promise<Schemas['GitSourceView']> =>
  findRecord(argument, {
    what: 'git source',
    byId: (id) => getAnswerOrNull(api.GET('/api/git-sources/{id}', { params: { path: { id } } })),
    list: (query) => requireAnswer(api.GET('/api/git-sources', { params: { query: { ...query, sort: 'name' } } })),
  });

export const findSchedule = (api: Api, argument: string): Promise<Pick<Schemas['ScheduleView'], 'id' | 'name'>> =>
  findRecord(argument, {
    what: 'schedule',
    byId: (id) => getAnswerOrNull(api.GET('/api/schedules/{id}', { params: { path: { id } } })),
    list: (query) => requireAnswer(api.GET('/api/schedules', { params: { query: { ...query, sort: 'name' } } })),
  });

/** Tokens cannot be listed by name, so that all of the member are compared. */
export const findToken = (api: Api, argument: string): Promise<Schemas['TokenView']> =>
  findRecord(argument, {
    what: 'token',
    byId: (id) => getAnswerOrNull(api.GET('/api/tokens/{id}', { params: { path: { id } } })),
    list: async ({ name, ...query }) => {
      const page = await requireAnswer(api.GET('/api/tokens', { params: { query } }));
      const isNamed = (token: Schemas['TokenView']) => token.name.toLowerCase() === name?.toLowerCase();
      return name === undefined ? page : { ...page, items: page.items.filter(isNamed) };
    },
  });
