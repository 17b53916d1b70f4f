import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inRoot, npmCommand } from '../../../scripts/lib/paths.mjs';
import { listPackages } from '../list-packages.mjs';
import { program } from '../programs.mjs';

export const missing = () => null;

/** Builds the list of all packages inside the service, the dashboard and the command line (CycloneDX). */
export async function build(release) {
  const [npm, ...args] = npmCommand();
  // With `--omit dev`, npm leaves out packages that are also peers of development packages, such as react.
  const options = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const all = JSON.parse(await program(npm, [...args, ...options], { cwd: inRoot() }));
  const shipped = new Set(
    (await listPackages()).map(({ folder, version }) => `${folder.split('node_modules/').at(-1)}@${version}`),
  );
  const components = all.components.filter((component) => shipped.has(component['bom-ref']));
  const references = new Set([all.metadata.component, ...components].map((component) => component['bom-ref']));
  const dependencies = all.dependencies
    .filter(({ ref }) => references.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => references.has(one)) }));
  // npm names it after the folder of the checkout.
  all.metadata.component.name = 'runward';
  const name = `runward-${release.version}.cdx.json`;
  await writeFile(
    path.join(release.folder, name),
    `${JSON.stringify({ ...all, components, dependencies }, null, 2)}\n`,
  );
  return name;
}
