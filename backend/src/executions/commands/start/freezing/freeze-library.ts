import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { conflict } from '../../../../common/errors/problem.js';
import {
  toGitFileKey,
  type LocatedGitFile,
  type GitFileContent,
  GitSourceReader,
  decodeGitFile,
} from '../../../../git-sources/git-source.reader.js';
import type { PathCommits } from '../../../../git-sources/mirror/path-commits.js';
import { type CommitRange, toCommitRangeKey } from '../../../approval/authors/commit-authors.js';
import { type ContentSource, MAX_CONTENT_BYTES } from '../../../../library/library-kind.js';
import type { PlanContent } from '../../../../plans/steps/plan-content.js';
import { listContents } from '../../../../plans/plan-library.js';
import { type ScriptContent, ScriptReader } from '../../../../scripts/script.reader.js';
import { scriptProgram } from '../../../../scripts/script-program.js';
import { TemplateReader } from '../../../../templates/template.reader.js';
import { toFileKey, type FrozenFile, type FrozenLibrary, type FrozenScript } from '../../../record/run-content.js';

/** Ends a transaction that needs git content which was not read yet. */
export class ContentsNotReadError extends Error {
  override readonly name = 'NotRead';

  constructor(readonly read: () => Promise<void>) {
    super('This has to be read first.');
  }
}

const MAX_READ_ROUNDS = 5;

/**
 * Content read from git sources for one start. Reads happen between transactions, because they wait for git, and for
 * the remote when a commit is missing here. Each transaction verifies that the commits are still the same.
 */
export class ReadContents {
  private readonly contents = new Map<string, GitFileContent>();
  private tries = 0;

  getContent(key: string): GitFileContent | undefined {
    return this.contents.get(key);
  }

  /** @throws ContentsNotReadError when any of the contents was not read */
  requireContentsRead(
    located: readonly LocatedGitFile[],
    read: (each: LocatedGitFile) => Promise<GitFileContent>,
  ): void {
    const missing = located.filter((each) => !this.contents.has(toGitFileKey(each)));
    if (missing.length === 0) return;
    throw new ContentsNotReadError(async () => {
      this.tries += 1;
      if (this.tries > MAX_READ_ROUNDS)
        throw conflict('changed_meanwhile', 'The git sources of the plan are being synced. Try again after the sync.');
      for (const each of missing) this.contents.set(toGitFileKey(each), await read(each));
    });
  }
}

/** Commits read from git sources for one start, between transactions. Like `ReadContents`, but for commits. */
export class ReadCommits {
  private readonly found = new Map<string, PathCommits>();
  private tries = 0;

  requireCommitsRead(
    ranges: readonly CommitRange[],
    read: (range: CommitRange) => Promise<PathCommits>,
  ): { range: CommitRange; found: PathCommits }[] {
    const missing = ranges.filter((range) => !this.found.has(toCommitRangeKey(range)));
    if (missing.length > 0)
      throw new ContentsNotReadError(async () => {
        this.tries += 1;
        if (this.tries > MAX_READ_ROUNDS)
          throw conflict(
            'changed_meanwhile',
            'The git sources of the plan are being synced. Try again after the sync.',
          );
        for (const range of missing) this.found.set(toCommitRangeKey(range), await read(range));
      });
    return ranges.flatMap((range) => {
      const found = this.found.get(toCommitRangeKey(range));
      return found ? [{ range, found }] : [];
    });
  }
}

/**
 * Limit of library content per snapshot, in bytes. A snapshot is one row that every worker and every view of the run
 * reads.
 */
const MAX_LIBRARY_BYTES = 2_097_152;

type ReadFromGit = (source: ContentSource) => GitFileContent;

@Injectable()
export class FreezeLibrary {
  constructor(
    private readonly scripts: ScriptReader,
    private readonly templates: TemplateReader,
    private readonly git: GitSourceReader,
  ) {}

  /**
   * @param contents content that was read from git sources between the transactions
   * @returns undefined when no step uses library content
   * @throws ContentsNotReadError for content that was not read; Problem 409 `library_too_large`, `library_missing`,
   *   `git_not_synced`, `git_ref_missing`, `git_not_text`
   */
  async freezeLibrary(
    tx: EntityManager,
    tenantId: string,
    { steps }: Pick<PlanContent, 'steps'>,
    contents: ReadContents,
  ): Promise<FrozenLibrary | undefined> {
    const sources = listContents(steps);
    if (sources.scripts.length + sources.templates.length + sources.files.length === 0) return undefined;
    const scripts = await this.scripts.latest(tx, tenantId, sources.scripts);
    const templates = await this.templates.latest(tx, tenantId, sources.templates);
    if (sources.scripts.some((id) => !scripts.has(id)) || sources.templates.some((id) => !templates.has(id)))
      throw conflict('library_missing', 'A script or template of the plan no longer exists. Choose another one.');
    const named = [...scripts.values(), ...templates.values()].flatMap(({ source }) => source ?? []);
    const fromGit = await this.readGitContents(tx, tenantId, [...named, ...sources.files], contents);
    const files = sources.files.map((source): [string, FrozenFile] => {
      const { bytes, frozen } = fromGit(source);
      return [toFileKey(source), { ...frozen, base64: bytes.toString('base64') }];
    });
    const frozen: FrozenLibrary = {
      scripts: addScriptPrograms(addGitContent(scripts, fromGit)),
      templates: addGitContent(templates, fromGit),
      ...(files.length > 0 ? { files: Object.fromEntries(files) } : {}),
    };
    requireSmallLibrary(frozen);
    return frozen;
  }

  /** Resolves each source to its current commit. Requires that the content was read before. */
  private async readGitContents(
    tx: EntityManager,
    tenantId: string,
    sources: readonly ContentSource[],
    contents: ReadContents,
  ): Promise<ReadFromGit> {
    const locatedContents = new Map<string, LocatedGitFile>();
    for (const each of await this.git.locateFiles(tx, tenantId, sources)) locatedContents.set(toFileKey(each), each);
    contents.requireContentsRead([...locatedContents.values()], (each) => this.git.readFile(each, MAX_CONTENT_BYTES));
    return (source) => {
      const each = locatedContents.get(toFileKey(source));
      const read = each && contents.getContent(toGitFileKey(each));
      if (!each || !read) throw new Error(`The content of ${source.path} was not read.`);
      // Keeps the ref of this source: two refs may resolve to one commit.
      return { ...read, frozen: { ...read.frozen, ref: source.ref } };
    };
  }
}

/** Freezes the interpreter of each script too, so that reviews, dry runs and workers all use the same one. */
const addScriptPrograms = (scripts: Record<string, Omit<ScriptContent, 'source'>>): Record<string, FrozenScript> =>
  Object.fromEntries(
    Object.entries(scripts).map(([id, { interpreter, ...script }]) => {
      const [program, ...args] = scriptProgram(interpreter, script.content).words;
      return [id, { ...script, interpreter: program, ...(args.length > 0 ? { interpreterArguments: args } : {}) }];
    }),
  );

function addGitContent<T extends { content: string; source?: ContentSource }>(
  records: ReadonlyMap<string, T>,
  fromGit: ReadFromGit,
): Record<string, Omit<T, 'source'>> {
  return Object.fromEntries(
    [...records].map(([id, { source, ...record }]) => {
      if (!source) return [id, record];
      const read = fromGit(source);
      return [id, { ...record, content: decodeGitFile(read), git: read.frozen }];
    }),
  );
}

/** @throws Problem 409 `library_too_large` */
function requireSmallLibrary({ scripts, templates, files = {} }: FrozenLibrary): void {
  const texts = [...Object.values(scripts), ...Object.values(templates)];
  const bytes =
    texts.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0) +
    Object.values(files).reduce((sum, { base64 }) => sum + base64.length, 0);
  if (bytes <= MAX_LIBRARY_BYTES) return;
  throw conflict(
    'library_too_large',
    `The scripts, templates and files of one run can have at most ${MAX_LIBRARY_BYTES / 1_048_576} MiB in total. Split the plan.`,
  );
}
