/**
 * Evaluates the parts of SQL statements in TypeScript sources without running them: constants, calls of functions,
 * conditions. A value that is known only at run time is `UNKNOWN`.
 */
import ts from 'typescript';

export const UNKNOWN = Symbol('known only at run time');

/** Text of a statement: strings, and one `null` for each value. */
export class Parts {
  constructor(list) {
    this.list = list;
  }
}

export class Unresolved extends Error {}

const MAX_DEPTH = 60;

/** @param helper path of the file that declares `sql` */
export function evaluator(checker, helper) {
  const isSqlType = (type) =>
    type.isUnion() ? type.types.some(isSqlType) : type.symbol?.name === 'Sql' && isOfHelper(type.symbol);
  const isOfHelper = (symbol) => symbol?.declarations?.some((d) => d.getSourceFile().fileName === helper) ?? false;
  const symbolOf = (node) => {
    const symbol = checker.getSymbolAtLocation(node);
    return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  };

  /** `sql`, `prepared`, `raw`, `join`, `all`, `none` for expressions of the helper; undefined for others. */
  function helperName(node) {
    if (ts.isIdentifier(node)) return node.text === 'sql' && isOfHelper(symbolOf(node)) ? 'sql' : undefined;
    if (ts.isPropertyAccessExpression(node) && helperName(node.expression) === 'sql') return node.name.text;
    return undefined;
  }

  /** Name of a function of the helper that runs its last argument, such as `rows`; undefined for others. */
  function helperFunction(node) {
    if (ts.isIdentifier(node) && ['rows', 'row', 'affected'].includes(node.text) && isOfHelper(symbolOf(node)))
      return node.text;
    return ts.isPropertyAccessExpression(node) && node.name.text === 'ask' ? 'ask' : undefined;
  }

  function evaluate(node, env, depth = 0) {
    if (depth > MAX_DEPTH) throw new Unresolved('calls itself');
    const next = (inner, innerEnv = env) => evaluate(inner, innerEnv, depth + 1);
    if (
      ts.isParenthesizedExpression(node) ||
      ts.isAsExpression(node) ||
      ts.isNonNullExpression(node) ||
      ts.isSatisfiesExpression(node)
    )
      return next(node.expression);
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isNumericLiteral(node)) return Number(node.text);
    if (node.kind === ts.SyntaxKind.TrueKeyword) return true;
    if (node.kind === ts.SyntaxKind.FalseKeyword) return false;
    if (node.kind === ts.SyntaxKind.NullKeyword) return null;
    if (ts.isTaggedTemplateExpression(node)) return isTag(node) ? template(node, env, depth) : UNKNOWN;
    if (ts.isTemplateExpression(node)) {
      const spans = node.templateSpans.map((span) => [next(span.expression), span.literal.text]);
      if (spans.some(([value]) => typeof value !== 'string' && typeof value !== 'number')) return UNKNOWN;
      return node.head.text + spans.map(([value, text]) => value + text).join('');
    }
    if (ts.isArrayLiteralExpression(node))
      return node.elements.flatMap((element) => {
        if (!ts.isSpreadElement(element)) return [next(element)];
        const spread = next(element.expression);
        return Array.isArray(spread) ? spread : [];
      });
    if (ts.isObjectLiteralExpression(node)) return { node, env };
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return { node, env };
    if (ts.isConditionalExpression(node)) {
      const test = next(node.condition);
      if (test !== UNKNOWN && typeof test !== 'object') return next(test ? node.whenTrue : node.whenFalse);
      return next(env.first ? node.whenTrue : node.whenFalse);
    }
    if (ts.isBinaryExpression(node)) return binary(node, next);
    if (ts.isIdentifier(node)) return identifier(node, env, depth);
    if (ts.isPropertyAccessExpression(node)) return property(node, env, depth);
    if (ts.isElementAccessExpression(node)) {
      const object = next(node.expression);
      const key = next(node.argumentExpression);
      return Array.isArray(object) ? (object[key] ?? object[0] ?? UNKNOWN) : member(object, key, depth);
    }
    if (ts.isCallExpression(node)) return call(node, env, depth);
    return UNKNOWN;
  }

  const isTag = (node) => ['sql', 'prepared'].includes(helperName(node.tag));

  function template(node, env, depth) {
    const { template: text } = node;
    if (ts.isNoSubstitutionTemplateLiteral(text)) return new Parts([text.text]);
    const list = [text.head.text];
    for (const { expression, literal } of text.templateSpans) {
      if (isSqlType(checker.getTypeAtLocation(expression))) {
        const part = evaluate(expression, env, depth + 1);
        if (!(part instanceof Parts)) throw new Unresolved(`\`${expression.getText()}\` is known only at run time`);
        list.push(...part.list);
      } else list.push(null);
      list.push(literal.text);
    }
    return new Parts(list);
  }

  function binary(node, next) {
    const operator = node.operatorToken.kind;
    const left = next(node.left);
    if (operator === ts.SyntaxKind.QuestionQuestionToken)
      return left === UNKNOWN || left === null || left === undefined ? next(node.right) : left;
    const right = () => next(node.right);
    if (left === UNKNOWN) return UNKNOWN;
    if (operator === ts.SyntaxKind.PlusToken) {
      const added = right();
      return added === UNKNOWN ? UNKNOWN : left + added;
    }
    if (operator === ts.SyntaxKind.EqualsEqualsEqualsToken || operator === ts.SyntaxKind.ExclamationEqualsEqualsToken) {
      const other = right();
      if (other === UNKNOWN) return UNKNOWN;
      return (left === other) === (operator === ts.SyntaxKind.EqualsEqualsEqualsToken);
    }
    if (operator === ts.SyntaxKind.AmpersandAmpersandToken) return left ? right() : left;
    if (operator === ts.SyntaxKind.BarBarToken) return left ? left : right();
    return UNKNOWN;
  }

  function identifier(node, env, depth) {
    if (node.text === 'undefined') return undefined;
    const shorthand = ts.isShorthandPropertyAssignment(node.parent);
    const local = shorthand
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node);
    const symbol = local && local.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(local) : local;
    for (let scope = env; scope; scope = scope.outer) if (scope.values.has(symbol)) return scope.values.get(symbol);
    return ofDeclaration(symbol?.valueDeclaration, env, depth);
  }

  function ofDeclaration(declaration, env, depth) {
    if (!declaration) return UNKNOWN;
    const example = exampleOf(declaration);
    if (example !== undefined && !ts.isFunctionLike(declaration)) return new Parts([example]);
    if (ts.isVariableDeclaration(declaration) && declaration.initializer && isConstant(declaration))
      return evaluate(declaration.initializer, env, depth + 1);
    if (ts.isPropertyAssignment(declaration) || (ts.isPropertyDeclaration(declaration) && declaration.initializer))
      return evaluate(declaration.initializer, env, depth + 1);
    if (ts.isShorthandPropertyAssignment(declaration)) return identifier(declaration.name, env, depth + 1);
    if (ts.isFunctionDeclaration(declaration) || ts.isMethodDeclaration(declaration)) return { node: declaration, env };
    if (ts.isBindingElement(declaration)) {
      const example = exampleOfElement(declaration);
      if (example !== undefined) return new Parts([example]);
      const whole = declaration.parent.parent;
      if (ts.isVariableDeclaration(whole) && whole.initializer && isConstant(whole)) {
        const object = evaluate(whole.initializer, env, depth + 1);
        return member(object, (declaration.propertyName ?? declaration.name).getText(), depth + 1);
      }
    }
    return UNKNOWN;
  }

  const isConstant = (declaration) => (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0;

  function property(node, env, depth) {
    if (helperName(node) === 'none') return new Parts(['']);
    const object = evaluate(node.expression, env, depth + 1);
    if (object !== UNKNOWN) {
      const found = member(object, node.name.text, depth + 1);
      if (found !== UNKNOWN) return found;
    }
    return ofDeclaration(symbolOf(node.name)?.valueDeclaration, env, depth + 1);
  }

  const isObject = (value) =>
    value !== null && typeof value === 'object' && !!value.node && ts.isObjectLiteralExpression(value.node);

  /** Properties of an object literal and of the literals that it spreads. */
  function propertiesOf({ node, env }, depth) {
    return node.properties.flatMap((property) => {
      if (!ts.isSpreadAssignment(property)) return [{ property, env }];
      const spread = evaluate(property.expression, env, depth + 1);
      return isObject(spread) ? propertiesOf(spread, depth + 1) : [];
    });
  }

  const nameOf = ({ property: { name } }) => name && (name.text ?? name.getText());

  function member(object, key, depth) {
    if (!isObject(object)) return UNKNOWN;
    const properties = propertiesOf(object, depth);
    const named = properties.findLast((each) => nameOf(each) === key);
    const chosen = named ?? (key === UNKNOWN ? properties.at(object.env.first ? 0 : -1) : undefined);
    if (!chosen) return UNKNOWN;
    const { property, env } = chosen;
    if (ts.isShorthandPropertyAssignment(property)) return identifier(property.name, env, depth + 1);
    if (ts.isPropertyAssignment(property)) return evaluate(property.initializer, env, depth + 1);
    return ts.isMethodDeclaration(property) ? { node: property, env } : UNKNOWN;
  }

  /** Result of `Object.keys` or `Object.entries`. */
  function listed(method, object, depth) {
    if (!isObject(object)) return UNKNOWN;
    const names = [...new Set(propertiesOf(object, depth).map(nameOf))];
    return method === 'keys' ? names : names.map((name) => [name, member(object, name, depth + 1)]);
  }

  function call(node, env, depth) {
    const name = helperName(node.expression);
    const next = (inner) => evaluate(inner, env, depth + 1);
    if (name === 'raw') {
      const text = next(node.arguments[0]);
      if (typeof text !== 'string') throw new Unresolved(`\`${node.getText()}\` is known only at run time`);
      return new Parts([text]);
    }
    if (name === 'all' || name === 'join') return joined(name, node, next);
    const objectMethod = /^Object\.(keys|entries)$/.exec(node.expression.getText())?.[1];
    if (objectMethod) return listed(objectMethod, next(node.arguments[0]), depth);
    if (
      ts.isPropertyAccessExpression(node.expression) &&
      ['map', 'flatMap', 'filter', 'join'].includes(node.expression.name.text)
    ) {
      const list = next(node.expression.expression);
      if (Array.isArray(list)) return ofList(node.expression.name.text, list, node, next, depth);
      // A list that is known only at run time is evaluated with one element.
      if (node.expression.name.text === 'map') return [apply(next(node.arguments[0]), [UNKNOWN], depth)];
      return UNKNOWN;
    }
    return apply(
      next(node.expression),
      node.arguments.map((argument) => next(argument)),
      depth,
    );
  }

  function joined(name, node, next) {
    const list = next(node.arguments[0]);
    const separator = name === 'all' ? ' and ' : node.arguments[1] ? next(node.arguments[1]) : ', ';
    const parts = Array.isArray(list) ? list.filter((part) => part instanceof Parts) : [];
    if (parts.length === 0 && name === 'join') throw new Unresolved(`\`${node.getText()}\` is known only at run time`);
    if (parts.length === 0) return new Parts(['true']);
    return new Parts(parts.flatMap((part, n) => (n === 0 ? part.list : [separator, ...part.list])));
  }

  function ofList(method, list, node, next, depth) {
    if (method === 'join') {
      const separator = node.arguments[0] ? next(node.arguments[0]) : ',';
      return list.every((item) => typeof item === 'string') ? list.join(separator) : UNKNOWN;
    }
    const callback = next(node.arguments[0]);
    const results = list.map((item) => apply(callback, [item], depth));
    if (method === 'filter') return list.filter((_, n) => results[n] !== false);
    return method === 'flatMap' ? results.flat() : results;
  }

  function apply(callee, values, depth) {
    if (callee === UNKNOWN || !callee?.node?.parameters) return UNKNOWN;
    const { node, env } = callee;
    const example = exampleOf(node);
    if (example !== undefined) return new Parts([example]);
    const scope = { values: new Map(), outer: env, first: env.first };
    node.parameters.forEach((parameter, n) => bind(parameter.name, values[n], parameter.initializer, scope, depth));
    if (!node.body) return UNKNOWN;
    if (!ts.isBlock(node.body)) return evaluate(node.body, scope, depth + 1);
    const returns = returnsOf(node.body);
    const chosen = scope.first ? returns[0] : returns.at(-1);
    return chosen?.expression ? evaluate(chosen.expression, scope, depth + 1) : UNKNOWN;
  }

  /** Text of the tag `@sql` of a property that a function takes from a parameter. */
  function exampleOfElement(element) {
    const type = checker.getTypeAtLocation(element.parent);
    const property = type.getProperty((element.propertyName ?? element.name).getText());
    return property?.valueDeclaration && exampleOf(property.valueDeclaration);
  }

  /** Text of the tag `@sql`, an example of a part that is composed at run time. */
  function exampleOf(node) {
    const [tag] = ts.getJSDocTags(node).filter(({ tagName }) => tagName.text === 'sql');
    return tag && ts.getTextOfJSDocComment(tag.comment);
  }

  function bind(pattern, value, initializer, scope, depth) {
    const known = value === undefined && initializer ? evaluate(initializer, scope, depth + 1) : (value ?? UNKNOWN);
    if (ts.isIdentifier(pattern)) return void scope.values.set(checker.getSymbolAtLocation(pattern), known);
    if (ts.isArrayBindingPattern(pattern))
      return pattern.elements.forEach((element, n) => {
        if (!ts.isOmittedExpression(element))
          bind(element.name, Array.isArray(known) ? known[n] : undefined, element.initializer, scope, depth);
      });
    if (!ts.isObjectBindingPattern(pattern)) return;
    for (const element of pattern.elements) {
      const found = member(known, (element.propertyName ?? element.name).getText(), depth + 1);
      bind(element.name, found === UNKNOWN ? undefined : found, element.initializer, scope, depth);
    }
  }

  function returnsOf(body) {
    const found = [];
    const visit = (node) => {
      if (ts.isReturnStatement(node)) found.push(node);
      else if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit);
    };
    visit(body);
    return found;
  }

  /**
   * Text of a statement. @param first whether the first or the last branch of unknown conditions is taken
   * @throws Unresolved
   */
  function statement(node, first) {
    const parts = evaluate(node, { values: new Map(), outer: undefined, first });
    if (!(parts instanceof Parts)) throw new Unresolved(`\`${node.getText()}\` is known only at run time`);
    return parts;
  }

  /** Row type of an expression of the type `Sql<Row>`; undefined without one. */
  function rowTypeOf(node) {
    const [row] = checker.getTypeArguments(checker.getTypeAtLocation(node));
    return row && !(row.flags & ts.TypeFlags.Unknown) ? row : undefined;
  }

  /** Whether the statement is a parameter, or contains parameters of the type `Sql`: its callers are checked. */
  function dependsOnCaller(node) {
    let found = false;
    const visit = (inner) => {
      if (found) return;
      if (ts.isIdentifier(inner) && isSqlType(checker.getTypeAtLocation(inner))) {
        const { valueDeclaration } = symbolOf(inner) ?? {};
        found =
          valueDeclaration !== undefined &&
          ts.isParameter(ts.getRootDeclaration(valueDeclaration)) &&
          !(ts.isBindingElement(valueDeclaration) && exampleOfElement(valueDeclaration));
      }
      if (!found) ts.forEachChild(inner, visit);
    };
    visit(node);
    return found;
  }

  return { isTag, isSqlType, statement, rowTypeOf, dependsOnCaller, helperFunction };
}
