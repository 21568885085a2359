# tf.function(f, input_signature=input_signature)
import tensorflow as tf

input_signature = [
    tf.TensorSpec(shape=[None, None], dtype=tf.float32, name="input"),
    tf.TensorSpec(shape=[2, None, 128], dtype=tf.float32, name="state"),
    tf.TensorSpec(shape=[], dtype=tf.int64, name="sr"),
]
