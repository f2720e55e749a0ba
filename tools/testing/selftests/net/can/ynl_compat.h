/* SPDX-License-Identifier: GPL-2.0-only */
/* YNL of 6.12 keeps lengths and numbers of values in other places than that of later kernels. */
#ifndef YNL_COMPAT_H
#define YNL_COMPAT_H

#define YNL_LEN(_member)	_present._member##_len
#define YNL_COUNT(_member)	n_##_member

#endif /* YNL_COMPAT_H */
