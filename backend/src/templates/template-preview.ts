import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { invalidRequest, notFound } from '../common/errors/problem.js';
import { isId } from '../common/ids.js';
import { GitSourceReader } from '../git-sources/git-source.reader.js';
import { MAX_CONTENT_BYTES } from '../common/library/library-kind.js';
import { LibraryRecords } from '../common/library/library-records.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { VariableVault } from '../environments/variables/variable-vault.js';
import { KNOWN_HOSTS, type KnownHosts } from './known-hosts.js';
import { templateFault } from './rendering/template-fault.js';
import { TemplateRenderer } from './rendering/template-renderer.js';
import type { TemplateFacts, TemplateValue } from './rendering/template-request.js';
import { TEMPLATES } from './template-kind.js';
import type { RenderTemplateRequest } from './templates.dto.js';
import type { RenderedTemplateView } from './templates.view.js';

/** Shows what a template comes to. No secret is opened for it. */
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
   * @throws Problem 400 when it can't be rendered; 404 for a template, environment or server that the caller can't see;
   *   409 where its content can't be read from its git source
   */
  async render(caller: Principal, id: string, request: RenderTemplateRequest): Promise<RenderedTemplateView> {
    const { content, placed, values, facts } = await this.units.run(caller.tenantId, async (tx) => {
      const template = await this.records.visible(tx, caller, id);
      const environment = await this.environments.visible(tx, caller, request.environmentId, '/environmentId');
      const facts = await this.hostFacts(tx, caller, request);
      const given = await this.variables.forPreview(tx, caller.tenantId, environment.id);
      const [placed] = template.source ? await this.git.place(tx, caller.tenantId, [template.source]) : [];
      return { content: template.content, placed, values: valuesOf(given, request), facts };
    });
    const source = placed ? await this.git.text(placed, MAX_CONTENT_BYTES) : content;
    const renderer = this.renderer.of({ tenantId: caller.tenantId, asks: 'request' });
    try {
      const text = await renderer.render({ content: source, values, facts, secrets: 'masked' });
      return { content: text, bytes: Buffer.byteLength(text) };
    } catch (error) {
      const { code, message } = templateFault(error);
      throw invalidRequest([{ path: '', code, message }], 'The template cannot be rendered with these values.');
    }
  }

  /** @throws Problem 404 */
  private async hostFacts(
    tx: EntityManager,
    caller: Principal,
    { serverId, environmentId }: RenderTemplateRequest,
  ): Promise<TemplateFacts> {
    if (serverId === undefined) return {};
    const host = isId(serverId) ? await this.hosts.visible(tx, caller, serverId, environmentId) : null;
    if (!host) throw notFound('/serverId');
    return { host };
  }
}

/** What the environment keeps secret stays so, whatever value the request gives in its place. */
function valuesOf(
  { values, secretNames }: { values: TemplateValues; secretNames: string[] },
  { variables = {} }: RenderTemplateRequest,
): TemplateValue[] {
  const plain = Object.entries({ ...values, ...variables }).filter(([name]) => !secretNames.includes(name));
  return [
    ...plain.map(([name, value]) => ({ name, value, secret: false })),
    ...secretNames.map((name) => ({ name, value: null, secret: true })),
  ];
}

type TemplateValues = Record<string, NonNullable<TemplateValue['value']>>;
