import type { EntityManager, ObjectLiteral, ObjectType } from 'typeorm';

const lists = new Map<unknown, string>();

/**
 * The columns of an entity under the names of its properties, for a hand-written `select` that gives such entities; those
 * that are read only where they are asked for are left out.
 * @param alias of the table's row
 */
export function entityColumns<T extends ObjectLiteral>(
  tx: EntityManager,
  entity: ObjectType<T>,
  alias: string,
): string {
  let list = lists.get(entity);
  if (list === undefined) {
    const columns = tx.connection.getMetadata(entity).columns.filter(({ isSelect }) => isSelect);
    list = columns.map(({ databaseName, propertyName }) => `#.${databaseName} as "${propertyName}"`).join(', ');
    lists.set(entity, list);
  }
  return list.replaceAll('#.', `${alias}.`);
}
