import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { FrozenSource } from '../library/library-kind.js';
import { type LatestContent, LibraryReader } from '../library/library.reader.js';
import { TEMPLATES } from './template-kind.js';

export interface TemplateContent extends LatestContent {
  /** File and commit of the content; undefined = content is stored in the record. */
  git?: FrozenSource;
}

@Injectable()
export class TemplateReader extends LibraryReader {
  constructor() {
    super(TEMPLATES);
  }

  /**
   * Returns the latest revisions by template ID. Locks the templates against deletion until the transaction ends, so
   * that a plan can start to use them.
   */
  async latest(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Map<string, TemplateContent>> {
    const rows = await this.records.findUsedRevisions(tx, tenantId, ids);
    return new Map(
      [...rows].map(([id, { name, revision, content, source }]) => [
        id,
        { name, revision, content, ...(source ? { source } : {}) },
      ]),
    );
  }
}
