import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { invalidRequest, notFound } from '../common/errors/problem.js';
import { isId } from '../common/ids.js';
import { findContentProblems } from '../library/library-content.js';
import { MAX_CONTENT_BYTES } from '../library/library-kind.js';
import { LibraryRecords } from '../library/library-records.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { VariableVault } from '../environments/variables/variable-vault.js';
import { GitSourceReader } from '../git-sources/git-source.reader.js';
import { KNOWN_HOSTS, type KnownHost, type KnownHosts } from './known-hosts.js';
import { jinjaProblems, templateFault, templateProblem } from './rendering/template-fault.js';
import { TemplateRenderer } from './rendering/template-renderer.js';
import type { TemplateFacts, TemplateValue } from './rendering/template-request.js';
import { TEMPLATES } from './template-kind.js';
import type { RenderTemplateRequest } from './templates.dto.js';
import { type RenderedTemplateView, toRenderedTemplateView } from './templates.view.js';

/** Never decrypts secrets. */
@Injectable()
export class TemplatePreview {
  private readonly records = new LibraryRecords(TEMPLATES);

  constructor(
    private readonly units: UnitOfWork,
    private readonly environments: EnvironmentReader,
    private readonly variables: VariableVault,
    private readonly renderer: TemplateRenderer,
    private readonly git: GitSourceReader,
    @Inject(KNOWN_HOSTS) private readonly hosts: KnownHosts,
  ) {}

  /**
   * @param id null = render `request.content` instead of a saved template
   * @throws Problem 400 if it cannot be rendered; 404 for a template, environment or server that the caller cannot see;
   *   409 if the git source cannot provide the content
   */
  async render(caller: Principal, id: string | null, request: RenderTemplateRequest): Promise<RenderedTemplateView> {
    const { saved, placed, values, facts } = await this.units.run(caller.tenantId, async (tx) => {
      const template = id === null ? null : await this.records.findVisible(tx, caller, id);
      const environment = await this.environments.findVisibleEnvironment(
        tx,
        caller,
        request.environmentId,
        '/environmentId',
      );
      const host = await this.host(tx, caller, request);
      const given = await this.variables.readValuesForPreview(tx, caller.tenantId, environment.id);
      const values = valuesOf(given, host?.variables ?? {}, request.variables ?? {});
      const source = request.content === undefined ? template?.source : null;
      const [placed] = source ? await this.git.locateFiles(tx, caller.tenantId, [source]) : [];
      return { saved: template?.content ?? '', placed, values, facts: host ? { host: hostFacts(host) } : {} };
    });
    const { content = placed ? await this.git.readText(placed, MAX_CONTENT_BYTES) : saved, unknown = 'refuse' } =
      request;
    const path = request.content === undefined ? '' : '/content';
    const problems = findContentProblems(content, path);
    // Only unsaved content is searched for Jinja syntax; a saved template is rendered in any case.
    if (request.content !== undefined) problems.push(...jinjaProblems(path, content));
    if (problems.length > 0) throw invalidRequest(problems, NOT_RENDERED_TEXT);
    const renderer = this.renderer.of({ tenantId: caller.tenantId, asks: 'request' });
    const renderRequest = { content, values, facts, secrets: 'masked' } as const;
    try {
      if (unknown === 'refuse') return toRenderedTemplateView(await renderer.render(renderRequest), []);
      const renderMarked = await renderer.renderMarked(renderRequest);
      return toRenderedTemplateView(renderMarked.text, renderMarked.unknown);
    } catch (error) {
      throw invalidRequest([templateProblem(path, templateFault(error))], NOT_RENDERED_TEXT);
    }
  }

  /** @throws Problem 404 */
  private async host(
    tx: EntityManager,
    caller: Principal,
    { serverId, environmentId }: RenderTemplateRequest,
  ): Promise<KnownHost | null> {
    if (serverId === undefined) return null;
    const host = isId(serverId) ? await this.hosts.visible(tx, caller, serverId, environmentId) : null;
    if (!host) throw notFound('/serverId');
    return host;
  }
}

const NOT_RENDERED_TEXT = 'The template cannot be rendered with these values.';

const hostFacts = ({ name, tags, facts }: KnownHost): TemplateFacts['host'] => ({
  name,
  tags,
  ...(facts && { facts }),
});

/** Secret variables of the environment and server stay masked, even if the request contains values for them. */
function valuesOf(
  environment: { values: TemplateValues; secretNames: string[] },
  server: KnownHost['variables'],
  given: TemplateValues,
): TemplateValue[] {
  const secretNames = new Set(environment.secretNames);
  for (const [name, value] of Object.entries(server)) if (value === null) secretNames.add(name);
  const plain = Object.entries({ ...environment.values, ...server, ...given }).filter(
    ([name]) => !secretNames.has(name),
  );
  return [
    ...plain.map(([name, value]) => ({ name, value, secret: false })),
    ...[...secretNames].map((name) => ({ name, value: null, secret: true })),
  ];
}

type TemplateValues = Record<string, NonNullable<TemplateValue['value']>>;
