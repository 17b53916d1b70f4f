import type { LibraryRevisionRow, LibraryRow } from './library-kind.js';

/** Fields that the views of scripts and templates share. */
export const toLibraryFields = (row: LibraryRow) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  revision: row.revision,
  bytes: row.bytes,
  source: row.source,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  version: row.version,
});

export const toLibraryRevisionFields = (row: LibraryRevisionRow) => ({
  id: row.id,
  number: row.number,
  bytes: row.bytes,
  source: row.source,
  message: row.message,
  createdBy: { id: row.created_by, name: row.created_by_name },
  createdAt: row.created_at.toISOString(),
});
