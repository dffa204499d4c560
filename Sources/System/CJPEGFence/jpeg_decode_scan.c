// Describes the single scan of a sequential file, as libjpeg has parsed it, see CJPEGFence.h.
#include <string.h>

#include "jpeg_decoder.h"

static int describe_part(const struct jpeg_decompress_struct *info, int index, ShimJPEGPart *out) {
  const jpeg_component_info *part = &info->comp_info[index];
  // libjpeg checks the table numbers only when it starts to decode, so they are checked here.
  if (info->cur_comp_info[index] != part) return 0;
  if (part->quant_tbl_no < 0 || part->quant_tbl_no >= NUM_QUANT_TBLS) return 0;
  if (part->dc_tbl_no < 0 || part->dc_tbl_no >= NUM_HUFF_TBLS) return 0;
  if (part->ac_tbl_no < 0 || part->ac_tbl_no >= NUM_HUFF_TBLS) return 0;
  const JQUANT_TBL *steps = info->quant_tbl_ptrs[part->quant_tbl_no];
  const JHUFF_TBL *dc = info->dc_huff_tbl_ptrs[part->dc_tbl_no];
  const JHUFF_TBL *ac = info->ac_huff_tbl_ptrs[part->ac_tbl_no];
  if (!steps || !dc || !ac) return 0;
  out->across = part->h_samp_factor;
  out->down = part->v_samp_factor;
  out->steps = steps->quantval;
  out->dc_counts = dc->bits + 1;
  out->dc_symbols = dc->huffval;
  out->ac_counts = ac->bits + 1;
  out->ac_symbols = ac->huffval;
  return 1;
}

int shim_jpeg_decoder_scan(const ShimJPEGDecoder *decoder, ShimJPEGScan *scan) {
  const struct jpeg_decompress_struct *info = &decoder->info;
  memset(scan, 0, sizeof *scan);
  if (decoder->started) return 0;
  if (info->progressive_mode || info->arith_code || info->data_precision != 8) return 0;
  int gray = info->num_components == 1 && info->jpeg_color_space == JCS_GRAYSCALE;
  int colour = info->num_components == 3 && info->jpeg_color_space == JCS_YCbCr;
  if (!gray && !colour) return 0;
  if (info->comps_in_scan != info->num_components) return 0;
  if (info->Ss != 0 || info->Se != DCTSIZE2 - 1 || info->Ah != 0 || info->Al != 0) return 0;
  for (int index = 0; index < info->num_components; index++) {
    if (!describe_part(info, index, &scan->parts[index])) return 0;
  }
  scan->components = info->num_components;
  scan->restart_interval = info->restart_interval;
  uint64_t read = decoder->bytes ? decoder->byte_count : decoder->offset;
  scan->data_offset = read - decoder->source.bytes_in_buffer;
  return 1;
}
