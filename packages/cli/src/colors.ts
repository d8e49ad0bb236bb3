/** Colours, as one stream wants them. */
import pico from 'picocolors';

export const createColors = (wanted: boolean): ReturnType<typeof pico.createColors> => pico.createColors(wanted);
