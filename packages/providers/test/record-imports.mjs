// Prints each module that is imported, and resolves the workspace to its sources.
import { writeSync } from 'node:fs';
import { register } from 'node:module';

const sources = new URL('../../', import.meta.url).href;
register(
  `data:text/javascript,${encodeURIComponent(`
    import { writeSync } from 'node:fs';
    export async function resolve(specifier, context, next) {
      const own = /^@treblehook\\/([a-z]+)$/.exec(specifier);
      const found = await next(own ? '${sources}' + own[1] + '/src/index.ts' : specifier, context);
      writeSync(1, found.url + '\\n');
      return found;
    }
  `)}`,
);
writeSync(1, 'recording\n');
