import { SetMetadata } from '@nestjs/common';

/** Announces the removal of a route or of a field of a request or answer (`docs/compatibility.md`). */
export interface Deprecation {
  /** Release date of the version that deprecated it: `2027-03-01`. */
  since: string;
  /** First date on which a new version can lack it, at least six months after `since`; null = not fixed. */
  sunset: string | null;
  /** Replacement: a route, such as `POST /api/plans`, or another field of the same class. */
  successor: string;
}

export interface DeprecatedField extends Deprecation {
  name: string;
}

export interface RouteDeprecations {
  route: Deprecation | undefined;
  /** Deprecated fields of its body and query. */
  fields: readonly DeprecatedField[];
}

type Class = abstract new (...args: never[]) => object;

const METADATA_KEY = 'runward:deprecation';
/** Classes with deprecated fields, by name of their schema. */
const classes = new Map<string, Class>();

export const DeprecatedRoute = (deprecation: Deprecation): MethodDecorator => SetMetadata(METADATA_KEY, deprecation);

export const DeprecatedField =
  (deprecation: Deprecation): PropertyDecorator =>
  ({ constructor }, name) => {
    classes.set(constructor.name, constructor as Class);
    const fields = [...listDeprecatedFields(constructor as Class), { name: String(name), ...deprecation }];
    Reflect.defineMetadata(METADATA_KEY, fields, constructor);
  };

export const listDeprecatedFields = (type: Class): readonly DeprecatedField[] =>
  (Reflect.getMetadata(METADATA_KEY, type) as DeprecatedField[] | undefined) ?? [];

export const listClassesWithDeprecatedFields = (): [schema: string, fields: readonly DeprecatedField[]][] =>
  [...classes].map(([name, type]) => [name, listDeprecatedFields(type)]);

export function findDeprecations(controller: Class, handler: string): RouteDeprecations {
  const prototype = controller.prototype as Record<string, object>;
  const parameters = (Reflect.getMetadata('design:paramtypes', prototype, handler) as Class[] | undefined) ?? [];
  return {
    route: Reflect.getMetadata(METADATA_KEY, prototype[handler] ?? {}) as Deprecation | undefined,
    fields: parameters.filter((type) => typeof type === 'function').flatMap(listDeprecatedFields),
  };
}
