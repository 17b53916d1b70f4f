import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const CONSTANT =
  ':matches([value.type="Literal"], [value.type="UnaryExpression"], [value.type="TemplateLiteral"][value.expressions.length=0])';

/** Rules of React's compiler, and of styles. All others are checked by Oxlint (`.oxlintrc.json`), which has none of these. */
export default tseslint.config({
  files: ['frontend/src/**/*.{ts,tsx}'],
  ignores: ['frontend/src/api/schema.ts'],
  languageOptions: { parser: tseslint.parser },
  linterOptions: { reportUnusedDisableDirectives: 'off' },
  plugins: { 'react-hooks': reactHooks },
  rules: {
    ...reactHooks.configs.recommended.rules,
    'no-restricted-syntax': [
      'error',
      {
        selector: `JSXAttribute[name.name=/^styles?$/] Property${CONSTANT}`,
        message: 'Write constant styles as Mantine props or CSS classes. `style` is for computed values.',
      },
      {
        selector: 'JSXAttribute[name.name=/^styles?$/] > JSXExpressionContainer > Identifier',
        message: 'Write the object in the attribute, so that constant styles in it are found.',
      },
    ],
  },
});
