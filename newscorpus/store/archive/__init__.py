"""Write responses to WARC files (ISO 28500:2017), and read pages from our own and other WARC files.

A crawl writes `CORPUS/archive/000001.warc.gz` and so on, with a gzip member per record. The records of a response are
adjacent: response, request and, if the page was passed to the extractor, a metadata record with the data of discovery.
"""
