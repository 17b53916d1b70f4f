import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { GitSourceView } from '../../src/git-sources/git-sources.view.js';
import type { PlanSyncListView, PlanSyncView } from '../../src/plans/folders/plan-syncs.view.js';
import type { PlanListView, PlanView } from '../../src/plans/plans.view.js';
import { eventually } from './eventually.js';
import { type GitRemotes, startGitRemotes, type TestRepository } from './git-remotes.js';
import { type Installation, startInstallation, type TestMember } from './installation.js';

const ROUTE = '/api/git-sources';

type Files = Record<string, string | Buffer | null>;

/** Git source with a plan folder `plans`. */
export interface FolderSource {
  id: string;
  name: string;
  repository: TestRepository;
  view: () => Promise<GitSourceView>;
  /** Waits until a worker has applied all changes. Returns the source. */
  applied: () => Promise<GitSourceView>;
  /** Newest first. */
  syncs: (by?: TestMember) => Promise<PlanSyncView[]>;
  sync: () => Promise<PlanSyncView>;
  push: (changes: Files, author?: string) => Promise<PlanSyncView>;
}

export interface FolderLab {
  remotes: GitRemotes;
  runward: Installation;
  settings: NodeJS.ProcessEnv;
  admin: TestMember;
  operator: TestMember;
  viewer: TestMember;
  collectionId: string;
  source: (
    by: TestMember,
    files: Files,
    more?: { folders?: string[]; prepare?: (repository: TestRepository) => Promise<unknown>; wait?: boolean },
  ) => Promise<FolderSource>;
  planOf: (name: string) => Promise<PlanView | undefined>;
  close(): Promise<void>;
}

export async function idOf(created: Promise<{ status: number; text: string; body: unknown }>): Promise<string> {
  const answer = await created;
  if (answer.status !== 201) throw new Error(answer.text);
  return (answer.body as { id: string }).id;
}

/** Starts an installation with Git remotes; by default with a worker in this process. */
export async function startFolderLab({ worker = true } = {}): Promise<FolderLab> {
  const remotes = await startGitRemotes();
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'runward-folders-'));
  const settings = {
    RUNWARD_DATA_DIR: dataDir,
    RUNWARD_GIT_CA_FILE: remotes.caFile,
    RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8,::1',
  };
  const runward = await startInstallation(settings);
  if (worker) await runward.worker();
  const admin = await runward.tenant();
  const operator = await runward.member(admin, 'operator');
  const viewer = await runward.member(admin, 'viewer');
  const collectionId = await idOf(admin.api.post('/api/collections', { name: 'From git' }));
  let numbered = 0;
  return {
    ...{ remotes, runward, settings, admin, operator, viewer, collectionId },
    async source(by, files, { folders = ['plans'], prepare, wait = true } = {}) {
      numbered += 1;
      const name = `folders-${numbered}`;
      const repository = await remotes.repository(`${name}.git`);
      await repository.commit(files);
      await prepare?.(repository);
      const planFolders = folders.map((folder) => ({ path: folder, collectionId }));
      const id = await idOf(by.api.post(ROUTE, { name, url: `${remotes.url}/${name}.git`, planFolders }));
      const view = async () => (await admin.api.get<GitSourceView>(`${ROUTE}/${id}`)).body;
      const applied = () =>
        eventually(
          `the plans of ${name}`,
          async () => {
            const found = await view();
            return !found.syncing && found.syncRequestedAt === null && !found.planSyncPending && found;
          },
          60_000,
        );
      const syncs = async (member = admin) =>
        (await member.api.get<PlanSyncListView>(`${ROUTE}/${id}/plan-syncs`)).body.items;
      const sync = async (): Promise<PlanSyncView> => {
        const { status, text } = await by.api.post(`${ROUTE}/${id}/sync`);
        if (status !== 202) throw new Error(text);
        await applied();
        return (await syncs())[0] as PlanSyncView;
      };
      const push: FolderSource['push'] = async (changes, author) => {
        await repository.commit(changes, { author });
        return sync();
      };
      if (wait) await applied();
      return { id, name, repository, view, applied, syncs, push, sync };
    },
    async planOf(name) {
      const list = await admin.api.get<PlanListView>(`/api/plans?name=${encodeURIComponent(name)}`);
      const [found] = list.body.items;
      return found && (await admin.api.get<PlanView>(`/api/plans/${found.id}`)).body;
    },
    async close() {
      await runward.close();
      await remotes.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
